/// One line of `rowgatectl doctor`.
package struct Finding: Codable, Equatable, Sendable {
    /// How bad it is.
    package enum Level: String, Codable, Sendable {
        case ok
        /// Something is worse than it could be, or could not be looked at.
        case warn
        /// Something keeps the gateway from doing its work.
        case fail
    }

    /// What was looked at, `broker`: stable, for programs and for the README's table.
    package var check: String
    /// What the exit status is made of.
    package var level: Level
    /// A sentence: what was found, with its figures.
    package var text: String
    /// A command that mends it, or a sentence where no command can; nil when all is well.
    package var remedy: String?

    package init(_ check: String, _ level: Level, _ text: String, remedy: String? = nil) {
        self.check = check
        self.level = level
        self.text = text
        self.remedy = remedy
    }

    static func ok(_ check: String, _ text: String) -> Finding { Finding(check, .ok, text) }

    static func warn(_ check: String, _ text: String, remedy: String) -> Finding {
        Finding(check, .warn, text, remedy: remedy)
    }

    static func fail(_ check: String, _ text: String, remedy: String) -> Finding {
        Finding(check, .fail, text, remedy: remedy)
    }
}
