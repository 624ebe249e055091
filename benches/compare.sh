#!/usr/bin/env bash
# Builds deadhead and the yardstick, makes the corpus if it is missing, measures, prints one Markdown table.
#
#     benches/compare.sh [SIZE] [OPTIONS of measure.py]      e.g. benches/compare.sh 1GiB
#                                                                 benches/compare.sh 64MiB --only sessions,filter
#
# SIZE of the session log is 1GiB unless given. Environment: RUNS (5), DEADHEAD (a ready binary instead of a build).
set -euo pipefail
cd "$(dirname "$0")"

size=1GiB
if [[ $# -gt 0 && $1 != -* ]]; then
    size=$1
    shift
fi

python=$(command -v python3) || { echo "compare.sh: python3 is needed" >&2; exit 2; }

if [[ -z ${DEADHEAD:-} ]]; then
    cargo build --profile dist --quiet --manifest-path ../Cargo.toml
    target=$(cargo metadata --format-version 1 --no-deps --manifest-path ../Cargo.toml |
        "$python" -c 'import json, sys; print(json.load(sys.stdin)["target_directory"])')
    DEADHEAD=$target/dist/deadhead
fi

yardstick=()
if CARGO_TARGET_DIR=$PWD/out/yardstick cargo build --release --quiet --locked --manifest-path yardstick/Cargo.toml; then
    yardstick=(--yardstick "$PWD/out/yardstick/release/yardstick")
fi

exec "$python" -B measure.py --deadhead "$DEADHEAD" "${yardstick[@]}" --size "$size" --runs "${RUNS:-5}" "$@"
