//! Matches names against patterns with `*`, as in OpenClaw's lists of tools.

/// Whether `name` matches `pattern`, in which only `*` is special. No pattern takes more than
/// linear time and a step back per star.
pub fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or("");
    let Some(mut rest) = name.strip_prefix(first) else {
        return false;
    };
    let Some(last) = parts.next_back() else {
        return rest.is_empty();
    };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// Whether these lists of patterns let `name` through: deny wins, an empty allow list allows all.
pub fn allows(allow: &[String], deny: &[String], name: &str) -> bool {
    let name = name.trim().to_lowercase();
    // Whether one of the patterns matches, if any is not blank.
    let fits = |list: &[String]| {
        let usable = list
            .iter()
            .map(|pattern| pattern.trim().to_lowercase())
            .filter(|pattern| !pattern.is_empty());
        usable
            .map(|pattern| matches(&pattern, &name))
            .reduce(|one, other| one || other)
    };
    fits(deny) != Some(true) && fits(allow) != Some(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars() {
        for (pattern, name, want) in [
            ("", "", true),
            ("*", "", true),
            ("a*c", "abc", true),
            ("a*c", "abcd", false),
            ("a*a", "a", false),
        ] {
            assert_eq!(matches(pattern, name), want, "{pattern} {name}");
        }
    }

    #[test]
    fn patterns() {
        let list = |patterns: &[&str]| patterns.iter().map(|s| s.to_string()).collect::<Vec<_>>();
        for (allow, deny, name, want) in [
            (&[][..], &[][..], "exec", true),
            (&["*"], &[], "", true),
            (&["ex*"], &["exec"], "exec", false),
            (&["ex*"], &["exec"], "Exec ", false),
            (&["exec", "read"], &["*image*"], "Read", true),
            (&["exec"], &[], "exec2", false),
            (&[" ", ""], &[], "anything", true),
            (&["a*c*e"], &[], "abcde", true),
            (&["a*c*e"], &[], "ace", true),
            (&["a*c*e"], &[], "ae", false),
            (&["a*a"], &[], "a", false),
            (&["r.d"], &[], "read", false),
            (&["[x]?"], &[], "[x]?", true),
        ] {
            assert_eq!(
                allows(&list(allow), &list(deny), name),
                want,
                "{allow:?} {deny:?} {name}"
            );
        }
    }
}
