// Where the program is: in the package for this platform, or where DEADHEAD_BINARY says.
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

export function binary() {
  const named = process.env.DEADHEAD_BINARY;
  if (named) return named;
  const name = `deadhead-${process.platform}-${process.arch}`;
  try {
    return require.resolve(`${name}/deadhead`);
  } catch {
    throw new Error(`there is no package ${name}: it is an optional dependency, or DEADHEAD_BINARY names the program`);
  }
}
