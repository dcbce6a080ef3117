/** Writes more than any pipe holds, and exits at once; prints what went wrong. */
import { ClosedOutput } from "../../../src/cli/context.ts";
import { outputOn } from "../../../src/cli/process.ts";

const output = outputOn(process.stdout);
try {
  for (const text of ["begin\n", "語🙂 and so on\n".repeat(40_000), "end"]) await output.write(text);
  process.exit(0);
} catch (error) {
  process.stderr.write(error instanceof ClosedOutput ? error.name : String(error), () => process.exit(1));
}
