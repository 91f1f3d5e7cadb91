// One run of tern as the client of a conformance scenario: node client.mjs TERN URL. What the suite says of the scenario comes in its
// environment; each run has a home of its own.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [tern, url] = process.argv.slice(2);
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}");
const oauth = { clientMetadataUrl: "https://conformance-test.local/client-metadata.json" };
if (context.client_id) oauth.clientId = context.client_id;
if (context.client_secret) oauth.clientSecret = context.client_secret;
const calls = context.toolCalls ? ["--calls", JSON.stringify(context.toolCalls)] : ["--call"];

const home = mkdtempSync(join(tmpdir(), "tern-conformance-"));
const run = spawnSync(tern, ["mcp", "probe", url, "--agree", "--oauth", JSON.stringify(oauth), ...calls], {
  cwd: home,
  env: { PATH: process.env.PATH, HOME: home, LANG: "C.UTF-8" },
  stdio: ["ignore", "inherit", "inherit"],
});
rmSync(home, { recursive: true, force: true });
process.exit(run.status ?? 1);
