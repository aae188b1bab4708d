import CommandLineText

/// One line of `rowgatectl doctor`.
struct Finding: Codable, Equatable, Sendable {
    /// What is looked at; the names are stable, for programs and for the README's table.
    enum Check: String, Codable, CaseIterable, Sendable {
        case configuration, service, bluetoothd, adapter, slots
        case wireless = "Wi-Fi"
        case clock, load, disk
        case flashLife = "flash life"
        case broker, limits
        case encryption = "TLS"
        case accessList = "access list"
        case permissions
    }

    /// How bad it is.
    typealias Level = CheckupLine.Level

    let check: Check
    let level: Level
    /// A sentence: what was found, with its figures.
    let text: String
    /// A command that mends it, or a sentence where no command can; nil when all is well.
    let remedy: String?

    static func ok(_ check: Check, _ text: String) -> Finding {
        Finding(check: check, level: .ok, text: text, remedy: nil)
    }

    static func warn(_ check: Check, _ text: String, remedy: String) -> Finding {
        Finding(check: check, level: .warn, text: text, remedy: remedy)
    }

    static func fail(_ check: Check, _ text: String, remedy: String) -> Finding {
        Finding(check: check, level: .fail, text: text, remedy: remedy)
    }
}
