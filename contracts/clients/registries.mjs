// A stranger's client: viem, through typed contract instances, reads and writes every function of the registries, decodes every event, and
// names what went wrong. `tests/tests/registry_clients.rs` runs it: node registries.mjs URL ARTIFACTS
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  BaseError, ContractFunctionRevertedError, createPublicClient, createWalletClient, getAddress, getContract, hexToString, http, parseEventLogs,
  stringToHex, toFunctionSignature, zeroAddress,
} from 'viem';
import { foundry } from 'viem/chains';

const [url, artifacts] = process.argv.slice(2);
const transport = http(url);
const reader = createPublicClient({ chain: foundry, transport, pollingInterval: 20 });
const accounts = await createWalletClient({ chain: foundry, transport }).getAddresses();
const [registrar, ann, bob] = accounts.map((account) => getAddress(account));
const as = (account) => createWalletClient({ account, chain: foundry, transport });

/** A deployed contract, with a list of what was used of it. */
async function deploy(name, args) {
  const { abi, bytecode } = JSON.parse(readFileSync(join(artifacts, `${name}.json`)));
  const hash = await as(registrar).deployContract({ abi, bytecode, args });
  const { contractAddress: address } = await reader.waitForTransactionReceipt({ hash });
  const contract = getContract({ address, abi, client: reader });
  const used = new Set();
  const logs = [];
  const signature = (functionName, args) => {
    const fits = ({ type, name, inputs }) =>
      type === 'function' && name === functionName && inputs.length === args.length;
    used.add(toFunctionSignature(abi.find(fits)));
  };
  return {
    address,
    read(functionName, ...args) {
      signature(functionName, args);
      return contract.read[functionName](args);
    },
    async write(account, functionName, ...args) {
      signature(functionName, args);
      const writer = getContract({ address, abi, client: as(account) });
      const receipt = await reader.waitForTransactionReceipt({ hash: await writer.write[functionName](args) });
      assert.equal(receipt.status, 'success', functionName);
      const decoded = parseEventLogs({ abi, logs: receipt.logs, strict: true });
      assert.equal(decoded.length, receipt.logs.length, `${functionName}: an event that is not decoded`);
      logs.push(...decoded);
      return decoded;
    },
    /** The name and the arguments of the error that a call reverts with. */
    async error(account, functionName, ...args) {
      try {
        await contract.simulate[functionName](args, { account });
      } catch (error) {
        assert(error instanceof BaseError, error);
        const revert = error.walk((cause) => cause instanceof ContractFunctionRevertedError);
        return [revert.data.errorName, revert.data.args ?? []];
      }
      assert.fail(`${functionName} did not revert`);
    },
    finish() {
      const functions = abi.filter(({ type }) => type === 'function').map((item) => toFunctionSignature(item));
      assert.deepEqual([...used].sort(), functions.sort());
      const events = abi.filter(({ type }) => type === 'event').map((item) => item.name);
      assert.deepEqual([...new Set(logs.map((log) => log.eventName))].sort(), events.sort());
      console.log(`${name}: ${functions.length} functions, ${events.length} events`);
    },
  };
}

const agents = await deploy('OpenAgentRegistry', [registrar, [{ key: 'name', value: stringToHex('Agents') }]]);
const registered = await agents.write(ann, 'register', ann, 'mcp', 'https://a.example', bob);
assert.deepEqual(registered.at(-1).args, {
  agentId: 1n, owner: ann, service_type: 'mcp', service: 'https://a.example', agent_account: bob,
});
const named = (name) => [{ key: 'name', value: stringToHex(name) }];
await agents.write(ann, 'register', ann, named('Ann'));
await agents.write(ann, 'registerBatch', [ann, bob], [named('third'), []]);
assert.equal(await agents.read('agentCount'), 4n);
assert.equal(await agents.read('ownerOf', 4n), bob);
assert.equal(await agents.read('balanceOf', ann, 1n), 1n);
assert.equal(hexToString(await agents.read('metadata', 2n, 'name')), 'Ann');
await agents.write(ann, 'setMetadata', 1n, 'name', stringToHex('One'));
await agents.write(ann, 'setMetadataBatch', 1n, [...named('Ones'), { key: 'service', value: '0x' }]);
assert.equal(hexToString(await agents.read('metadata', 1n, 'name')), 'Ones');
await agents.write(ann, 'approve', bob, 1n, 1n);
assert.equal(await agents.read('allowance', ann, bob, 1n), 1n);
await agents.write(bob, 'transferFrom', ann, bob, 1n, 1n);
await agents.write(bob, 'transfer', ann, 1n, 1n);
await agents.write(ann, 'setOperator', bob, true);
assert.equal(await agents.read('isOperator', ann, bob), true);
await agents.write(registrar, 'setContractMetadata', 'name', stringToHex('Others'));
assert.equal(hexToString(await agents.read('contractMetadata', 'name')), 'Others');
assert.equal(await agents.read('supportsInterface', '0x2bb55cdc'), true);
assert.equal(await agents.read('registrar'), registrar);
await agents.write(registrar, 'nominateRegistrar', bob);
assert.equal(await agents.read('nominatedRegistrar'), bob);
await agents.write(bob, 'acceptRegistrar');
await agents.write(bob, 'renounceRegistrar');
assert.deepEqual(await agents.error(ann, 'ownerOf', 9n), ['AgentNotFound', [9n]]);
assert.deepEqual(await agents.error(ann, 'transfer', bob, 1n, 2n), ['InvalidAmount', [2n]]);
assert.deepEqual(await agents.error(ann, 'setContractMetadata', 'name', '0x'), ['NotRegistrar', [ann]]);
agents.finish();

const tools = await deploy('ToolRegistry', []);
const deny = await deploy('AlwaysDenyPredicate', []);
const uri = 'https://tools.example.com/.well-known/ai-tool/translate.json';
const hash = `0x${'11'.repeat(32)}`;
await tools.write(ann, 'registerTool', 'https://old.example', hash, zeroAddress);
assert.equal(await tools.read('toolCount'), 1n);
assert.equal(await tools.read('hasAccess', 1n, bob, '0x'), true);
await tools.write(ann, 'updateToolMetadata', 1n, uri, hash);
await tools.write(ann, 'setAccessPredicate', 1n, deny.address);
assert.deepEqual(await tools.read('getToolConfig', 1n), {
  creator: ann, metadataURI: uri, manifestHash: hash, accessPredicate: getAddress(deny.address),
});
assert.deepEqual(await tools.read('tryHasAccess', 1n, bob, '0x'), [true, false]);
assert.deepEqual(await tools.error(bob, 'deregisterTool', 1n), ['NotToolCreator', [1n, bob]]);
assert.deepEqual(await tools.error(ann, 'registerTool', '', hash, zeroAddress), ['InvalidMetadataURI', []]);
await tools.write(ann, 'deregisterTool', 1n);
assert.deepEqual(await tools.error(ann, 'getToolConfig', 1n), ['ToolIsDeregistered', [1n]]);
assert.notEqual(await tools.read('name'), '');
assert.notEqual(await tools.read('version'), '');
assert.equal(await tools.read('supportsInterface', '0xf1dc8075'), true);
tools.finish();

assert.equal(await deny.read('hasAccess', 1n, ann, '0x'), false);
assert.notEqual(await deny.read('name'), '');
const [requirements] = await deny.read('getRequirements', 1n);
assert.equal(requirements.length, 1);
assert.equal(await deny.read('supportsInterface', '0xbdf9dc18'), true);
deny.finish();
