/// JSON as an event stream tells it: in one line, since a line break ends what a reader takes for one.
enum EventLine {
    private static func isBreak(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
    }

    /// Whether it can be told as it is.
    static func fits(_ json: [UInt8]) -> Bool { !json.contains(where: isBreak) }

    /// The same in one line; no text within JSON has a bare line break in it.
    static func joined(_ json: [UInt8]) -> [UInt8] {
        json.map { isBreak($0) ? UInt8(ascii: " ") : $0 }
    }
}
