//! Who owns an agent, who may act for its owner, and who the registrar is.

use alloy_primitives::U256;
use alloy_sol_types::SolCall;

use super::{Call, Decoded, Encoded, NotACall, read};
use crate::abi::OpenAgentRegistry as Agents;

/// An agent has one owner: every transfer is of this amount (ERC-8122).
const ONE: U256 = U256::ONE;

pub(super) fn encode(call: &Call) -> Encoded {
    Some(match *call {
        Call::Transfer { receiver, agent_id } => Agents::transferCall {
            receiver,
            id: agent_id,
            amount: ONE,
        }
        .abi_encode(),
        Call::TransferFrom {
            sender,
            receiver,
            agent_id,
        } => Agents::transferFromCall {
            sender,
            receiver,
            id: agent_id,
            amount: ONE,
        }
        .abi_encode(),
        Call::Approve {
            spender,
            agent_id,
            amount,
        } => Agents::approveCall {
            spender,
            id: agent_id,
            amount,
        }
        .abi_encode(),
        Call::SetOperator { operator, approved } => Agents::setOperatorCall {
            spender: operator,
            approved,
        }
        .abi_encode(),
        Call::NominateRegistrar(nominee) => Agents::nominateRegistrarCall { nominee }.abi_encode(),
        Call::AcceptRegistrar => Agents::acceptRegistrarCall {}.abi_encode(),
        Call::RenounceRegistrar => Agents::renounceRegistrarCall {}.abi_encode(),
        _ => return None,
    })
}

pub(super) fn decode(data: &[u8]) -> Decoded {
    if let Some(call) = read::<Agents::transferCall>(data)? {
        must_be_one(call.amount)?;
        return Ok(Some(Call::Transfer {
            receiver: call.receiver,
            agent_id: call.id,
        }));
    }
    if let Some(call) = read::<Agents::transferFromCall>(data)? {
        must_be_one(call.amount)?;
        return Ok(Some(Call::TransferFrom {
            sender: call.sender,
            receiver: call.receiver,
            agent_id: call.id,
        }));
    }
    if let Some(call) = read::<Agents::approveCall>(data)? {
        return Ok(Some(Call::Approve {
            spender: call.spender,
            agent_id: call.id,
            amount: call.amount,
        }));
    }
    if let Some(call) = read::<Agents::setOperatorCall>(data)? {
        return Ok(Some(Call::SetOperator {
            operator: call.spender,
            approved: call.approved,
        }));
    }
    if let Some(call) = read::<Agents::nominateRegistrarCall>(data)? {
        return Ok(Some(Call::NominateRegistrar(call.nominee)));
    }
    if read::<Agents::acceptRegistrarCall>(data)?.is_some() {
        return Ok(Some(Call::AcceptRegistrar));
    }
    let renounced = read::<Agents::renounceRegistrarCall>(data)?;
    Ok(renounced.map(|_| Call::RenounceRegistrar))
}

fn must_be_one(amount: U256) -> Result<(), NotACall> {
    (amount == ONE).then_some(()).ok_or(NotACall)
}
