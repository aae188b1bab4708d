import ArgumentParser
import Bytes
import CommandLineText
import Contract
import Glibc
import HostRuntime
import Logbook
import QRCodes

/// Invitations: `rowgate-logbook invite`.
struct InviteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "invite", abstract: "Create a link that signs one device in.",
        discussion: """
            The link is printed once, on a terminal also as a QR code. It is valid for \
            \(UserRepository.invitationPeriod.components.seconds / 86_400) days, and for one device. A new link for a user replaces an open one. A running logbook knows it at once.

            Exit status: 0, or 2 if no invitation was created.
            """)
    @OptionGroup var configurationOption: ConfigurationOption
    @OptionGroup var options: StoreOptions
    @Option(help: "coach or captain: invites a new user; room: a tablet that everybody in the room uses.")
    var role: Role?
    @Option(help: ArgumentHelp("The name of the new user; people can correct it.", valueName: "text"))
    var name: String?
    @Option(help: ArgumentHelp("Invites an athlete, by id.", valueName: "id")) var athlete: String?
    @Option(help: ArgumentHelp("Invites a user again, for one more device.", valueName: "id"))
    var user: String?
    @Option(
        help: ArgumentHelp(
            "The address under which phones find the logbook, such as http://192.168.1.5:8080; from the "
                + "configuration if absent.", valueName: "address"))
    var address: String?

    func validate() throws {
        guard [role != nil, athlete != nil, user != nil].count(where: { $0 }) == 1 else {
            throw ValidationError("use one of --role, --athlete and --user")
        }
        guard role.map(UserRepository.invitedByName.contains) ?? true else {
            throw ValidationError("--role is coach, captain or room; an athlete is invited with --athlete")
        }
        guard name == nil || role != nil else { throw ValidationError("--name is only for --role") }
    }

    func run() throws {
        let place = try pageAddress()
        let (now, runtime) = (SystemRuntime().unixMilliseconds(), SystemRuntime())
        let invitation = try options.show(
            configurationOption, for: .editing,
            { store in
                if let athlete {
                    return try UserRepository.invite(athlete: athlete, in: store, at: now, by: runtime)
                }
                if let user { return try UserRepository.invite(user: user, in: store, at: now, by: runtime) }
                let role = role ?? .coach
                return try UserRepository.invite(
                    named: name ?? Self.usualName(of: role), as: role, in: store, at: now,
                    by: runtime)
            },
            lines: { [StyledLine($0.link(below: place))] },
            json: { invitation in
                String(
                    decoding: JSONWriter.object { json in
                        json.field("user_id", invitation.user.id)
                        json.field("name", invitation.user.name)
                        json.field("role", invitation.user.role.rawValue)
                        json.field("expires_ms", invitation.expiresAt)
                        json.field("link", invitation.link(below: place))
                    }, as: UTF8.self)
            })
        guard !options.json, isatty(STDOUT_FILENO) == 1,
            let code = QRCode(invitation.link(below: place))
        else { return }
        // White on black, whatever the colours of the terminal are.
        let lines = code.lines.map { "\u{1B}[97;40m\($0)\u{1B}[0m\n" }
        _ = writeAll(lines.joined().utf8, to: STDOUT_FILENO)
    }

    private static func usualName(of role: Role) -> String {
        switch role {
        case .captain: "Captain"
        case .room: "Room device"
        default: "Coach"
        }
    }

    /// The address of the pages without a slash at the end.
    private func pageAddress() throws -> String {
        if let address { return address.hasSuffix("/") ? String(address.dropLast()) : address }
        do {
            return String(
                try LogbookConfiguration.read(from: configurationOption.config).0.pageAddress.dropLast())
        } catch {
            StoreChoice.complain("\(error)")
            throw ExitCode(2)
        }
    }
}

/// Users and their devices: `rowgate-logbook user`.
struct UserCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user", abstract: "Manage the people who sign in, and their devices.",
        discussion: """
            "rowgate-logbook invite" adds users and devices. Changes take effect within five seconds, also in \
            a running logbook.
            """,
        subcommands: [List.self, Edit.self, Remove.self, Revoke.self, SignOut.self])

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List all users with their devices.",
            discussion: "Exit status: 0, or 2 if nothing could be read.")
        @OptionGroup var configurationOption: ConfigurationOption
        @OptionGroup var options: StoreOptions

        func run() throws {
            let now = SystemRuntime().unixMilliseconds()
            _ = try options.show(
                configurationOption, { try UserRepository.all(in: $0, at: now) }, lines: Self.lines,
                json: Self.json)
        }

        private static func lines(_ users: [ClubUser]) -> [StyledLine] {
            if users.isEmpty { return [StyledLine("no users", .faint)] }
            var table = TextTable([
                ("USER", .leading), ("NAME", .leading), ("ROLE", .leading), ("ATHLETE", .leading),
                ("DEVICES", .leading), ("INVITED", .leading),
            ])
            for user in users {
                table.add([
                    StyledLine(user.id), StyledLine(user.name), StyledLine(user.role.rawValue),
                    StyledLine(user.athlete ?? "\u{2013}"),
                    StyledLine(
                        user.devices.isEmpty
                            ? "\u{2013}"
                            : user.devices.map { "\($0.name) (\($0.id))" }.joined(separator: "; ")),
                    StyledLine(user.invitedUntil == nil ? "\u{2013}" : "yes"),
                ])
            }
            return table.lines
        }

        private static func json(_ users: [ClubUser]) -> String {
            String(decoding: JSONWriter.list(of: users) { $1.write(into: &$0) }, as: UTF8.self)
        }
    }

    struct Edit: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Change the name or role of a coach or captain, or the name of a room device.",
            discussion: "Exit status: 0, or 2 if nothing was changed.")
        @OptionGroup var configurationOption: ConfigurationOption
        @OptionGroup var choice: StoreChoice
        @Argument(help: "The user's id, as listed by list.") var user: String
        @Option(help: ArgumentHelp("The new name.", valueName: "text")) var name: String?
        @Option(help: "coach or captain.") var role: Role?

        func validate() throws {
            guard role.map({ $0.includes(.coach) }) ?? true else {
                throw ValidationError("--role is coach or captain")
            }
        }

        func run() throws {
            try choice.look(configurationOption, for: .editing) { store in
                try UserRepository.change(user, name: name, role: role, in: store)
            }
        }
    }

    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove a user, and sign all devices out; an athlete's results stay.",
            discussion: "Exit status: 0, or 2 if nothing was removed.")
        @OptionGroup var configurationOption: ConfigurationOption
        @OptionGroup var choice: StoreChoice
        @Argument(help: "The user's id, as listed by list.") var user: String

        func run() throws {
            try choice.look(configurationOption, for: .editing) { try UserRepository.remove(user, in: $0) }
        }
    }

    struct Revoke: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make the open invitation of a user invalid.",
            discussion: "Exit status: 0, or 2 if there is no such user.")
        @OptionGroup var configurationOption: ConfigurationOption
        @OptionGroup var choice: StoreChoice
        @Argument(help: "The user's id, as listed by list.") var user: String

        func run() throws {
            try choice.look(configurationOption, for: .editing) {
                try UserRepository.revokeInvitation(of: user, in: $0)
            }
        }
    }

    struct SignOut: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Sign a device of a user out, or all devices.",
            discussion: "Exit status: 0, or 2 if nothing was signed out.")
        @OptionGroup var configurationOption: ConfigurationOption
        @OptionGroup var choice: StoreChoice
        @Argument(help: "The user's id, as listed by list.") var user: String
        @Option(help: ArgumentHelp("The device's id; all devices if absent.", valueName: "id"))
        var device: String?

        func run() throws {
            let now = SystemRuntime().unixMilliseconds()
            try choice.look(configurationOption, for: .editing) { store in
                let devices =
                    try device.map { [$0] }
                    ?? UserRepository.user(user, in: store, at: now).devices.map(\.id)
                for device in devices {
                    try UserRepository.removeDevice(device, of: user, in: store, at: now)
                }
            }
        }
    }
}
