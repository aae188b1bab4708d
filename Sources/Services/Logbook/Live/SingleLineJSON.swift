/// JSON on one line, as an event stream needs it: a line break would end the event's data.
enum SingleLineJSON {
    private static func isBreak(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
    }

    /// Whether the JSON has no line break.
    static func isSingleLine(_ json: [UInt8]) -> Bool { !json.contains(where: isBreak) }

    /// Returns the JSON on one line. A JSON string contains no bare line break, so its meaning stays the
    /// same.
    static func joined(_ json: [UInt8]) -> [UInt8] {
        json.map { isBreak($0) ? UInt8(ascii: " ") : $0 }
    }
}
