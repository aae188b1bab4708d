import ArgumentParser
import Contract
import HostRuntime
import Logbook
import LogbookInspection
import LogbookStores

/// Options that identify a session.
struct NamedSession: ParsableArguments {
    @Option(help: ArgumentHelp("The gateway, if two have a session with this id.", valueName: "id"))
    var gateway: String?

    func validate() throws {
        if let gateway, GatewayID(gateway) == nil {
            throw ValidationError("--gateway takes 1 to 32 of a-z, 0-9 and -, not '\(gateway)'")
        }
    }

    func name(_ session: String, in store: SQLStore) throws -> SessionName {
        try Self.name(session, of: gateway, in: store)
    }

    static func name(
        _ session: String, of gateway: String?, in store: SQLStore
    ) throws -> SessionName {
        let found = try store.sessions(named: session).filter {
            gateway == nil || $0.gateway.slug == gateway
        }
        switch found.count {
        case 1: return found[0]
        case 0:
            throw Unclear(
                words: "there is no session \(session); rowgate-logbook sessions lists them")
        default:
            let gateways = found.map(\.gateway.slug).joined(separator: ", ")
            throw Unclear(
                words: "\(gateways) each have a session \(session); select one with --gateway")
        }
    }

    private struct Unclear: Error, CustomStringConvertible {
        let words: String
        var description: String { words }
    }
}

struct SessionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session",
        abstract: "Show a session: its result, splits and gaps, and whether it is complete.",
        discussion: """
            The session is compared with its gateway's manifest, as by check. With --json, summary, splits \
            and gaps are the records as published.

            Exit status: 0, or 2 if nothing could be read or there is no such session.
            """)

    @OptionGroup var configurationOption: ConfigurationOption
    @OptionGroup var options: StoreOptions
    @OptionGroup var named: NamedSession
    @Argument(help: "The session's id, as listed by sessions.") var session: String

    func run() throws {
        let calendar = try configurationOption.calendar(options.choice)
        _ = try options.show(
            configurationOption,
            { store in
                let name = try named.name(session, in: store)
                guard let stored = try store.session(name) else {
                    preconditionFailure("a session that is named is there")
                }
                return try SessionSheet(
                    stored, in: store, names: try PeopleRepository.names(in: store), calendar: calendar)
            },
            lines: \.lines, json: \.json)
    }
}
