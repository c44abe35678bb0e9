// One chat, through the official TypeScript client: it connects, makes the calls that it is told, prints what each came to, and ends.
//
//   node chat.mjs http|stdio CALLS
//
// For http: DEEDBOX_MCP_URL. For stdio: DEEDBOX_PROGRAM, and whatever else the program reads. CALLS is JSON:
// [[tool, arguments], …]. DEEDBOX_KEY is the key. CHAT_AGENT and CHAT_INSTANCE are what the agent says of itself; without them it says nothing. Prints
// one line of JSON, a list of { value, text, refused }, and leaves what that has to be to who reads it.

import { env, argv } from 'node:process';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const [how, calls] = [argv[2], JSON.parse(argv[3])];
const { DEEDBOX_KEY: key, CHAT_AGENT: agent, CHAT_INSTANCE: instance } = env;

function transport() {
  if (how === 'http') {
    const headers = { Authorization: `Bearer ${key}` };
    if (agent) headers['X-Memory-OS-Agent-ID'] = agent;
    if (instance) headers['X-Memory-OS-Agent-Instance-ID'] = instance;
    return new StreamableHTTPClientTransport(new URL(env.DEEDBOX_MCP_URL), { requestInit: { headers } });
  }
  const labels = {};
  if (agent) labels.XMEMO_AGENT_ID = agent;
  if (instance) labels.XMEMO_AGENT_INSTANCE_ID = instance;
  return new StdioClientTransport({ command: env.DEEDBOX_PROGRAM, args: ['mcp'], env: { ...env, ...labels } });
}

const client = new Client({ name: 'deedbox-tests', version: '1' });
await client.connect(transport());
// With the list, the client checks every structured result against the schema that the tool declares.
await client.listTools();
const said = [];
for (const [name, args] of calls) {
  const result = await client.callTool({ name, arguments: args });
  const text = result.content.map((block) => block.text).join('\n');
  said.push({ value: result.structuredContent, text, refused: result.isError === true });
}
await client.close();
console.log(JSON.stringify(said));
