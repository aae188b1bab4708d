import ArgumentParser
import Contract
import HostRuntime
import LogbookInspection
import LogbookStores

/// Which session an id names.
struct NamedSession: ParsableArguments {
    @Option(help: ArgumentHelp("Of this gateway's, where two have the id.", valueName: "id"))
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
                words: "\(gateways) each have a session \(session); name one with --gateway")
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
        abstract: "Show one session: its result, splits and gaps, and whether all of it is here.",
        discussion: """
            The session is held against the manifest of its gateway, as by check. With --json, summary, \
            splits and gaps are the records as they were published.

            Exit status: 0, or 2 when nothing could be read or there is no such session.
            """)

    @OptionGroup var place: ConfigurationOption
    @OptionGroup var options: StoreOptions
    @OptionGroup var named: NamedSession
    @Argument(help: "The session's id, as rowgate-logbook sessions shows it.") var session: String

    func run() throws {
        let calendar = try place.calendar(options.choice)
        _ = try options.show(
            place,
            { store in
                let name = try named.name(session, in: store)
                var filter = SessionFilter(limit: 1)
                (filter.gateway, filter.session) = (name.gateway, name.session)
                guard let kept = try store.sessions(filter).first else {
                    preconditionFailure("a session that is named is there")
                }
                return try SessionSheet(
                    kept, in: store, digest: SHA256Digest.hexadecimal(of:), calendar: calendar)
            },
            lines: \.lines, json: \.json)
    }
}
