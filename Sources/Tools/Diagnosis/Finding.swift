/// One line of `rowgatectl doctor`.
package struct Finding: Codable, Equatable, Sendable {
    /// What is looked at; the names are stable, for programs and for the README's table.
    package enum Check: String, Codable, CaseIterable, Sendable {
        case configuration, service, bluetoothd, adapter, slots
        case wireless = "Wi-Fi"
        case clock, disk
        case flashLife = "flash life"
        case broker
        case encryption = "TLS"
        case accessList = "access list"
        case permissions
    }

    /// How bad it is.
    package enum Level: String, Codable, Sendable {
        case ok
        /// Something is worse than it could be, or could not be looked at.
        case warn
        /// Something keeps the gateway from doing its work.
        case fail
    }

    /// What was looked at.
    package var check: Check
    /// What the exit status is made of.
    package var level: Level
    /// A sentence: what was found, with its figures.
    package var text: String
    /// A command that mends it, or a sentence where no command can; nil when all is well.
    package var remedy: String?

    package init(_ check: Check, _ level: Level, _ text: String, remedy: String? = nil) {
        self.check = check
        self.level = level
        self.text = text
        self.remedy = remedy
    }

    static func ok(_ check: Check, _ text: String) -> Finding { Finding(check, .ok, text) }

    static func warn(_ check: Check, _ text: String, remedy: String) -> Finding {
        Finding(check, .warn, text, remedy: remedy)
    }

    static func fail(_ check: Check, _ text: String, remedy: String) -> Finding {
        Finding(check, .fail, text, remedy: remedy)
    }
}
