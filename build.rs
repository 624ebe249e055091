//! Links the program with the C library inside, where the machine has one to link: a program of its own, no matter where it
//! is copied to, and one that starts in three quarters of the time.
//!
//! Rust links the C library in only for programs that are built with `--target`, since the macros that run at build time
//! cannot have it. So the linker is told here, for the program alone: its kind (`-static-pie`: still loaded at a random
//! address), and scripts that stand for the shared libraries it is asked for. Relative relocations are packed, as the
//! program itself applies them.
//!
//! A program of one line goes first, with the same compiler, flags and linker: it must link, run and unwind. Where it does
//! not, at least the unwinder is linked in, which is slow to load, and where that does not work either, nothing changes.
//! Without the feature `static-libc` nothing is tried.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Scripts named after shared libraries, with what the linker takes in their place, and flags of the link.
struct Way {
    folder: &'static str,
    scripts: &'static [(&'static str, &'static str)],
    flags: &'static [&'static str],
}

const WAYS: [Way; 2] = [
    Way {
        folder: "whole",
        scripts: &[
            ("gcc_s", "INPUT(-lgcc_eh -lgcc)"),
            ("util", "INPUT(-l:libutil.a)"),
            ("rt", "INPUT(-l:librt.a)"),
            ("pthread", "INPUT(-l:libpthread.a)"),
            ("m", "INPUT(-l:libm.a)"),
            ("dl", "INPUT(-l:libdl.a)"),
            ("c", "GROUP(-l:libc.a -lgcc_eh -lgcc)"),
        ],
        flags: &["-static-pie", "-Wl,-z,pack-relative-relocs"],
    },
    Way { folder: "unwinder", scripts: &[("gcc_s", "INPUT(-lgcc_eh -lgcc)")], flags: &[] },
];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=RUSTC_LINKER");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|v| v == value);
    let gnu = is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu");
    let native = env::var("HOST").ok() == env::var("TARGET").ok();
    let linked_in = env::var("CARGO_CFG_TARGET_FEATURE").is_ok_and(|all| all.split(',').any(|one| one == "crt-static"));
    if !gnu || !native || linked_in || env::var_os("CARGO_FEATURE_STATIC_LIBC").is_none() {
        return;
    }
    let Some(out) = env::var_os("OUT_DIR").map(PathBuf::from) else { return };
    for way in WAYS {
        if let Some(arguments) = prepare(&way, &out)
            && works(&arguments, &out)
        {
            for argument in arguments {
                println!("cargo::rustc-link-arg-bins={argument}");
            }
            return;
        }
    }
}

/// Writes the scripts of a way, and gives its arguments for the linker.
fn prepare(way: &Way, out: &Path) -> Option<Vec<String>> {
    let folder = out.join(way.folder);
    fs::create_dir_all(&folder).ok()?;
    for (library, script) in way.scripts {
        fs::write(folder.join(format!("lib{library}.so")), script).ok()?;
    }
    let search = format!("-L{}", folder.to_str()?);
    Some(std::iter::once(search).chain(way.flags.iter().map(|&flag| flag.to_owned())).collect())
}

/// Whether a program links with these arguments, runs, and unwinds.
fn works(arguments: &[String], out: &Path) -> bool {
    let (source, program) = (out.join("probe.rs"), out.join("probe"));
    let text = "fn main() { assert!(std::panic::catch_unwind(|| std::panic::resume_unwind(Box::new(()))).is_err()) }";
    if fs::write(&source, text).is_err() {
        return false;
    }
    let mut rustc = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    rustc.arg(source).arg("-o").arg(&program).args(["--edition=2024", "-Cpanic=unwind"]);
    if let Ok(linker) = env::var("RUSTC_LINKER") {
        rustc.arg(format!("-Clinker={linker}"));
    }
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    rustc.args(flags.split('\u{1f}').filter(|flag| !flag.is_empty()));
    rustc.args(arguments.iter().map(|argument| format!("-Clink-arg={argument}")));
    rustc.output().is_ok_and(|built| built.status.success()) && Command::new(program).output().is_ok_and(|ran| ran.status.success())
}
