CREATE TABLE session (
    id        INTEGER PRIMARY KEY,
    name      TEXT    NOT NULL UNIQUE,
    source    TEXT    NOT NULL,
    revision  INTEGER NOT NULL,
    last_call INTEGER NOT NULL,
    runs      INTEGER NOT NULL,
    prefix    BLOB    NOT NULL,
    spent     REAL    NOT NULL,
    unpruned  REAL    NOT NULL,
    ends      TEXT    NOT NULL
) STRICT;
CREATE TABLE decision (
    session INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    call    INTEGER NOT NULL,
    source  BLOB    NOT NULL CHECK (length(source) = 16),
    kind    TEXT    NOT NULL,
    instead TEXT    NOT NULL,
    pass    TEXT    NOT NULL,
    at      INTEGER NOT NULL,
    PRIMARY KEY (session, call)
) STRICT, WITHOUT ROWID;
CREATE TABLE score (
    id       INTEGER PRIMARY KEY,
    workload TEXT    NOT NULL,
    stack    TEXT    NOT NULL,
    arm      TEXT    NOT NULL CHECK (arm IN ('pruned', 'control')),
    score    REAL    NOT NULL,
    at       INTEGER NOT NULL
) STRICT;
CREATE INDEX score_in_order ON score (workload, stack, arm, id);
CREATE TABLE gate (
    workload TEXT    NOT NULL,
    stack    TEXT    NOT NULL,
    since    INTEGER NOT NULL,
    retired  INTEGER,
    reason   TEXT,
    PRIMARY KEY (workload, stack)
) STRICT, WITHOUT ROWID;
CREATE TABLE audit (
    id       INTEGER PRIMARY KEY,
    at       INTEGER NOT NULL,
    workload TEXT    NOT NULL,
    stack    TEXT    NOT NULL,
    event    TEXT    NOT NULL,
    reason   TEXT    NOT NULL
) STRICT;
CREATE INDEX audit_in_order ON audit (workload, id);
CREATE TABLE request (
    id       INTEGER PRIMARY KEY,
    at       INTEGER NOT NULL,
    workload TEXT    NOT NULL,
    session  TEXT    NOT NULL,
    account  TEXT    NOT NULL
) STRICT;
CREATE INDEX request_in_order ON request (workload, at, id);
CREATE INDEX request_of_session ON request (session);
