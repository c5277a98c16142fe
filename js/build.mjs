// Builds what the Python package ships in studio_nb/static: widget.js (the bundle that the
// kernel sends once a page), loader.js (the widget's `_esm`) and widget.css (its `_css`).
// `node build.mjs --watch` keeps building; pass `--dev` for readable output.

import { mkdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { deflateSync } from "node:zlib";
import * as esbuild from "esbuild";

// Budgets, so that growth is noticed where it happens: design.md names both.
const LOADER_BUDGET_BYTES = 4096;
const BUNDLE_BUDGET_BYTES = 300_000;

const root = fileURLToPath(new URL(".", import.meta.url));
const outdir = fileURLToPath(new URL("../studio_nb/static", import.meta.url));

const options = {
  absWorkingDir: root,
  entryPoints: ["src/widget.ts", "src/loader.ts", "src/widget.css"],
  outdir,
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: !process.argv.includes("--dev"),
  legalComments: "none",
  logLevel: "warning",
};

await mkdir(outdir, { recursive: true });
if (process.argv.includes("--watch")) {
  const context = await esbuild.context(options);
  await context.watch();
} else {
  await esbuild.build(options);
  await check("loader.js", (bytes) => bytes.length, LOADER_BUDGET_BYTES);
  await check("widget.js", (bytes) => deflateSync(bytes).length, BUNDLE_BUDGET_BYTES);
}

async function check(name, sizeOf, budget) {
  const size = sizeOf(await readFile(`${outdir}/${name}`));
  if (size > budget) {
    throw new Error(
      `${name} has ${size} bytes, its budget is ${budget}: make it smaller`,
    );
  }
  console.log(`${name}: ${size} of ${budget} bytes`);
}
