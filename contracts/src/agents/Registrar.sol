// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

/// @title The one role that a registry has
/// @notice The registrar sets the registry's own metadata and, where a registry is curated, registers agents. It has no power over
/// an agent once that is registered. It may be nobody, and then nobody becomes it any more.
abstract contract Registrar {
    /// @notice The registrar named who may become registrar in its place.
    /// @param registrar The registrar.
    /// @param nominee Who may accept; the zero address when a nomination was withdrawn.
    event RegistrarNominated(address indexed registrar, address indexed nominee);

    /// @notice There is another registrar.
    /// @param previous Who it was; the zero address at construction.
    /// @param registrar Who it is; the zero address when there will be none any more.
    event RegistrarChanged(address indexed previous, address indexed registrar);

    /// @notice Only the registrar may do this.
    /// @param caller Who tried.
    error NotRegistrar(address caller);

    /// @notice Only who is nominated may become registrar.
    /// @param caller Who tried.
    error NotNominated(address caller);

    /// @notice The registrar; the zero address when there is none, for ever.
    address public registrar;

    /// @notice Who may become registrar by accepting; the zero address when nobody may.
    address public nominatedRegistrar;

    modifier onlyRegistrar() {
        if (msg.sender != registrar) revert NotRegistrar(msg.sender);
        _;
    }

    /// @param initialRegistrar The registrar, or the zero address for a registry that never has one.
    constructor(address initialRegistrar) {
        if (initialRegistrar != address(0)) changeRegistrar(initialRegistrar);
    }

    /// @notice Names who may become registrar by accepting. Handing over takes two steps, so that the role is not lost to an address
    /// that nobody can call from. A new nomination replaces the one before. Reverts with `NotRegistrar`.
    /// @param nominee Who may accept; the zero address withdraws the nomination.
    function nominateRegistrar(address nominee) external onlyRegistrar {
        nominatedRegistrar = nominee;
        emit RegistrarNominated(msg.sender, nominee);
    }

    /// @notice Makes the caller registrar. Reverts with `NotNominated`.
    function acceptRegistrar() external {
        if (msg.sender != nominatedRegistrar) revert NotNominated(msg.sender);
        changeRegistrar(msg.sender);
    }

    /// @notice Ends the role for ever, a nomination included: the registry's metadata is final from then on, and a registry in which
    /// only the registrar registers takes no more agents. Reverts with `NotRegistrar`.
    function renounceRegistrar() external onlyRegistrar {
        changeRegistrar(address(0));
    }

    function changeRegistrar(address next) private {
        emit RegistrarChanged(registrar, next);
        registrar = next;
        delete nominatedRegistrar;
    }
}
