//! Links the unwinder into the program, where the C compiler has it as a static library.
//!
//! Rust's standard library takes it from the shared libgcc on Linux. Loading that takes a tenth of a millisecond in a virtual
//! machine: before anything else it asks the processor what it can do, and every such question goes to the hypervisor. What
//! is linked is what `cc -static-libgcc` links; nothing else changes.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=RUSTC_LINKER");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|v| v == value);
    let gnu = is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu");
    let native = env::var("HOST").ok() == env::var("TARGET").ok();
    if !gnu || !native || !has("libgcc_eh.a") {
        return;
    }
    let Some(folder) = env::var_os("OUT_DIR").map(PathBuf::from) else { return };
    // The linker is asked for `-lgcc_s` and finds this first: a script that names the static one.
    if std::fs::write(folder.join("libgcc_s.so"), "INPUT(-lgcc_eh -lgcc)\n").is_ok() {
        println!("cargo::rustc-link-search=native={}", folder.display());
    }
}

/// Whether the compiler that links has this library.
fn has(library: &str) -> bool {
    let linker = env::var_os("RUSTC_LINKER").unwrap_or_else(|| "cc".into());
    let found = Command::new(linker).arg(format!("-print-file-name={library}")).output();
    found.is_ok_and(|found| Path::new(String::from_utf8_lossy(&found.stdout).trim()).is_absolute())
}
