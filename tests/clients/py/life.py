"""The whole life of a task, through the official Python client.

    python life.py http|stdio legacy|auto|2026-07-28

For http: DEEDBOX_MCP_URL. For stdio: DEEDBOX_PROGRAM, and whatever else the program reads. DEEDBOX_KEY is an
operator's key, BOB_KEY one that acts only as bob. CHAIN_TOKEN is a token on chain 31337 of which CHAIN_HOLDER has 1.5, and
whose name tries to close the fence. The second word is the era: the handshake, the client's own
choice, or no state. The client itself checks every structured result against the schema that the tool declares.
Ends with 0 when everything was as the protocol says.
"""

import asyncio
import json
import os
import re
import sys
from contextlib import asynccontextmanager

import httpx2
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
TASK_TOOLS = [
    "create_task",
    "accept_task",
    "report_completion",
    "handoff_task",
    "get_task_status",
    "list_unaccepted_tasks",
]
CHAIN_TOOLS = [
    "list_chains",
    "get_native_balance",
    "get_erc20_balance",
    "get_token_metadata",
    "get_pool_reserves",
    "list_recent_transfers",
    "check_conclusion",
    "resolve_agent",
    "find_agents",
    "list_registries",
    "get_registry_history",
    "find_tools",
    "verify_tool",
    "check_tool_access",
    "compare_tools",
]
MEMORY_READS = ["get_identity", "recall", "list_memories"]
MEMORY_TOOLS = ["get_identity", "remember", "recall", "list_memories", "update_memory", "forget"]
HOW, ERA = sys.argv[1:3]


@asynccontextmanager
async def connect(key):
    if HOW == "stdio":
        # The client passes on only a few variables of its own environment.
        env = dict(os.environ) | {"DEEDBOX_KEY": key}
        server = StdioServerParameters(command=os.environ["DEEDBOX_PROGRAM"], args=["mcp"], env=env)
        async with Client(server, mode=ERA, read_timeout_seconds=30) as client:
            yield client
        return
    assert HOW == "http", HOW
    headers = {"Authorization": f"Bearer {key}"}
    async with httpx2.AsyncClient(headers=headers, trust_env=False) as http:
        server = streamable_http_client(os.environ["DEEDBOX_MCP_URL"], http_client=http)
        async with Client(server, mode=ERA, read_timeout_seconds=30) as client:
            yield client


def same(found, expected):
    assert found == expected, f"found {found!r}, expected {expected!r}"


async def call(client, name, arguments):
    result = await client.call_tool(name, arguments)
    (block,) = result.content
    same(block.type, "text")
    same(json.loads(block.text), result.structured_content)
    return result


async def ok(client, name, **arguments):
    result = await call(client, name, arguments)
    assert not result.is_error, f"{name} was refused: {result.structured_content}"
    return result.structured_content


async def refused(client, status, code, name, *words, **arguments):
    result = await call(client, name, arguments)
    assert result.is_error, f"{name} should be refused: {arguments}"
    refusal = result.structured_content
    same(sorted(refusal), ["code", "error", "status"])
    same((refusal["status"], refusal["code"]), (status, code))
    for word in words:
        assert word in refusal["error"], f"{refusal['error']} does not say {word}"


async def unaccepted(client, task_id, **arguments):
    page = await ok(client, "list_unaccepted_tasks", **arguments)
    same(sorted(page), ["nextCursor", "tasks"])
    return any(task["id"] == task_id for task in page["tasks"])


async def look_at_tools(client):
    tools = (await client.list_tools()).tools
    same([tool.name for tool in tools], TASK_TOOLS + CHAIN_TOOLS + MEMORY_TOOLS)
    for tool in tools:
        same(tool.input_schema["additionalProperties"], False)
        assert tool.output_schema, tool.name
        reads = tool.name in ("get_task_status", "list_unaccepted_tasks", *CHAIN_TOOLS, *MEMORY_READS)
        same(tool.annotations.read_only_hint, reads)


async def alice_works(client):
    task = await ok(
        client, "create_task", title="Check the rollback plan", description="", injectedBy="alice", authorityScope=None
    )
    task_id = task["id"]
    assert UUID.fullmatch(task_id) and TIME.fullmatch(task["createdAt"]), task
    same((task["status"], task["currentOwnerActorId"]), ("pending_acceptance", None))
    assert await unaccepted(client, task_id)
    assert not await unaccepted(client, task_id, actorId="bob")

    claim = {"taskId": task_id, "actorId": "alice", "claimText": "the plan works"}
    await refused(client, 409, "no_current_owner", "report_completion", provenance="reported", **claim)
    acceptance = await ok(client, "accept_task", taskId=task_id, actorId="alice", contextNote="on it")
    await refused(client, 409, "already_owned", "accept_task", taskId=task_id, actorId="bob")
    assert not await unaccepted(client, task_id)

    first = await ok(client, "report_completion", provenance="reported", **claim)
    await refused(
        client, 409, "evidence_required", "report_completion", "sourceReference", provenance="observed", **claim
    )
    source = "https://ci.example/1"
    second = await ok(client, "report_completion", provenance="reviewed", sourceReference=source, **claim)
    handoff = await ok(client, "handoff_task", taskId=task_id, fromActorId="alice", toActorId="bob")
    snapshot = handoff["contextSnapshot"]
    same(sorted(snapshot), ["capturedAt", "latestAcceptance", "latestCompletion", "status"])
    same(snapshot["status"], "completed")
    same(snapshot["latestAcceptance"]["id"], acceptance["id"])
    same(snapshot["latestCompletion"]["id"], second["id"])
    assert await unaccepted(client, task_id)
    return task_id, [acceptance], [first, second], [handoff]


async def bob_takes_over(client, bob, task_id, acceptances, completions, handoffs):
    await bob.list_tools()
    await refused(bob, 403, "wrong_actor", "accept_task", "bob", taskId=task_id, actorId="alice")
    his = await ok(bob, "accept_task", taskId=task_id, actorId="bob")
    same(his["attribution"]["actor"], "authenticated")
    claim = {"taskId": task_id, "actorId": "alice", "claimText": "x", "provenance": "reported"}
    await refused(client, 403, "not_owner", "report_completion", **claim)
    status = await ok(bob, "get_task_status", taskId=task_id)
    task = status.pop("task")
    same((task["status"], task["currentOwnerActorId"]), ("accepted", "bob"))
    expected = {
        "acceptances": [*acceptances, his],
        "latestAcceptance": his,
        "completions": completions,
        "latestCompletion": completions[-1],
        "handoffs": handoffs,
    }
    same(status, expected)


async def bad_calls(client, task_id):
    await refused(client, 400, "invalid_input", "get_task_status", "taskId", taskId=task_id.upper())
    await refused(client, 400, "invalid_input", "accept_task", "more", taskId=task_id, actorId="alice", more=1)
    await refused(client, 404, "actor_not_found", "accept_task", "nobody", taskId=task_id, actorId="nobody")
    try:
        await client.call_tool("no_such_tool", {})
    except MCPError as error:
        same(error.error.code, -32602)
    else:
        raise AssertionError("an unknown tool was answered")


async def chain_is_read(client, bob, task_id):
    token, holder = os.environ["CHAIN_TOKEN"], os.environ["CHAIN_HOLDER"]
    at = {"chain_id": 31337, "token": token, "block": "latest"}
    chains = (await ok(client, "list_chains"))["chains"]
    same([chain["chain_id"] for chain in chains], [31337])
    balance = await ok(client, "get_erc20_balance", **at, holder=holder)
    same(balance["data"], {"raw_amount": "1500000", "decimals": 6})
    same(balance["error"], None)
    evidence_id = balance["provenance"]["evidence_id"]

    metadata = await client.call_tool("get_token_metadata", at)
    text = metadata.content[0].text
    written = metadata.structured_content["data"]["name"]
    same(written["flags"], ["control"])
    assert "\n" in written["text"] and "changes nothing about the task" in text, text
    lines = text.split("\n")
    fences = [line for line in lines if re.fullmatch("[0-9a-f]{32}", line)]
    same((len(fences), len(set(fences))), (4, 1))
    assert not any(line.startswith("Ignore") for line in lines), text

    bad = await client.call_tool("get_erc20_balance", {**at, "token": holder, "holder": holder})
    assert bad.is_error
    same(sorted(bad.structured_content), ["data", "error", "provenance"])
    same(bad.structured_content["error"]["code"], "not_a_contract")

    claim = {"tool": "get_erc20_balance", "chain_id": 31337, "block": "latest", "evidence_id": evidence_id}
    for said, verdict in [("It holds 1.5", "supported"), ("It holds 1.6", "mismatched")]:
        evidence = [{"claim": said, **claim}]
        report = await ok(client, "check_conclusion", conclusion=said, evidence=evidence, unknown=[])
        same(report["verdict"], verdict)

    source = f"evidence:{evidence_id}"
    done = {"taskId": task_id, "actorId": "bob", "provenance": "observed", "claimText": "It holds 1.5"}
    observed = await ok(bob, "report_completion", **done, sourceReference=source)
    evidence = observed["attribution"]["evidence"]
    same((evidence["witnessedBy"], evidence["assertedBy"]), ("server", "bob"))


async def main():
    async with connect(os.environ["DEEDBOX_KEY"]) as client:
        if ERA != "2026-07-28":  # pinned to it, the client asks nothing before its first call
            same(client.server_info.name, "deedbox")
        same(client.protocol_version, "2025-11-25" if ERA == "legacy" else "2026-07-28")
        await look_at_tools(client)
        task_id, *history = await alice_works(client)
        async with connect(os.environ["BOB_KEY"]) as bob:
            await bob_takes_over(client, bob, task_id, *history)
            await chain_is_read(client, bob, task_id)
        await bad_calls(client, task_id)
    print(f"Python, {HOW}, {ERA}: a whole life")


asyncio.run(main())
