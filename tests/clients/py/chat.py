"""One chat, through the official Python client: it connects, makes the calls that it is told, prints what each came to, and ends.

    python chat.py http|stdio CALLS legacy|auto|2026-07-28

For http: DEEDBOX_MCP_URL. For stdio: DEEDBOX_PROGRAM, and whatever else the program reads. CALLS is JSON:
[[tool, arguments], ...]. The last word is the era. DEEDBOX_KEY is the key. CHAT_AGENT and CHAT_INSTANCE are what the agent says of itself;
without them it says nothing. Prints one line of JSON, a list of {value, text, refused}, and leaves what that has to be
to who reads it.
"""

import asyncio
import json
import os
import sys
from contextlib import asynccontextmanager

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

HOW, CALLS, ERA = sys.argv[1:4]


def labels(agent, instance):
    said = {agent: os.environ.get("CHAT_AGENT"), instance: os.environ.get("CHAT_INSTANCE")}
    return {name: value for name, value in said.items() if value}


@asynccontextmanager
async def connect():
    if HOW == "stdio":
        # The client passes on only a few variables of its own environment.
        env = dict(os.environ) | labels("DEEDBOX_AGENT_ID", "DEEDBOX_AGENT_INSTANCE_ID")
        server = StdioServerParameters(command=os.environ["DEEDBOX_PROGRAM"], args=["mcp"], env=env)
        async with Client(server, mode=ERA, read_timeout_seconds=30) as client:
            yield client
        return
    assert HOW == "http", HOW
    headers = labels("X-Deedbox-Agent-ID", "X-Deedbox-Agent-Instance-ID")
    headers["Authorization"] = f"Bearer {os.environ['DEEDBOX_KEY']}"
    async with httpx2.AsyncClient(headers=headers, trust_env=False) as http:
        server = streamable_http_client(os.environ["DEEDBOX_MCP_URL"], http_client=http)
        async with Client(server, mode=ERA, read_timeout_seconds=30) as client:
            yield client


async def main():
    said = []
    async with connect() as client:
        # With the list, the client checks every structured result against the schema that the tool declares.
        await client.list_tools()
        for name, arguments in json.loads(CALLS):
            result = await client.call_tool(name, arguments)
            text = "\n".join(block.text for block in result.content)
            said.append({"value": result.structured_content, "text": text, "refused": bool(result.is_error)})
    print(json.dumps(said))


asyncio.run(main())
