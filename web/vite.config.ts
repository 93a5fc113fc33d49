// Builds the one file that a report is: script and style are put into index.html, and the policy names them by their hashes.
//
// The result must be the same bytes on every machine, because it is committed: no dates, no names of folders, no hashes of paths.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { defineConfig, type Plugin } from "vite";

const ASSETS = "../crates/report/assets";

/** The policy's word for an inline script or style with this text. */
function hash(text: string): string {
  return `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`;
}

/** Nothing is loaded, nothing is sent, and no text can become markup. A server of this page opens `connect-src` for itself. */
function policy(script: string, style: string): string {
  return [
    "default-src 'none'",
    `script-src ${hash(script)}`,
    `style-src ${hash(style)}`,
    "connect-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
}

function oneFile(): Plugin {
  return {
    name: "one-file",
    enforce: "post",
    generateBundle(_, bundle) {
      const text = (end: string): string => {
        const found = Object.values(bundle).filter((file) => file.fileName.endsWith(end));
        const [file] = found;
        if (!file || found.length !== 1) throw new Error(`expected one file *${end}, found ${found.length}`);
        return (file.type === "chunk" ? file.code : String(file.source)).trim();
      };
      const [script, style] = [text(".js"), text(".css")];
      if (/<\/script|<!--/i.test(script) || /<\/style/i.test(style)) {
        throw new Error("script or style would end its own element");
      }
      const parts: Record<string, string> = { csp: policy(script, style), script, style };
      // A function, because a replacement text has meanings of its own for `$`.
      const page = readFileSync("index.html", "utf8").replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
        const part = parts[name];
        if (part === undefined) throw new Error(`index.html asks for an unknown part {{${name}}}`);
        return part;
      });
      for (const name of Object.keys(bundle)) delete bundle[name];
      this.emitFile({ type: "asset", fileName: "report.html", source: page });
    },
  };
}

export default defineConfig({
  plugins: [oneFile()],
  build: {
    outDir: process.env["WEIR_WEB_OUT"] ?? ASSETS,
    emptyOutDir: false,
    target: "es2022",
    modulePreload: false,
    cssCodeSplit: false,
    reportCompressedSize: false,
    rolldownOptions: {
      input: "src/main.ts",
      output: { format: "iife", entryFileNames: "report.js", assetFileNames: "report[extname]" },
    },
  },
});
