#!/usr/bin/env node
// The command: the program of this platform, with the same arguments, streams and end.
import { spawnSync } from "node:child_process";
import { binary } from "../binary.js";

let program;
try {
  program = binary();
} catch (error) {
  process.stderr.write(`deadhead: ${error.message}\n`);
  process.exit(2);
}
const { error, signal, status } = spawnSync(program, process.argv.slice(2), { stdio: "inherit" });
if (error) {
  process.stderr.write(`deadhead: ${program}: ${error.message}\n`);
  process.exit(2);
}
if (signal) process.kill(process.pid, signal);
process.exitCode = status ?? 2;
