/// Cuts a byte stream into messages that end with NUL.
struct MessageBuffer {
    /// A message with more bytes before its NUL is refused.
    let limit: Int
    private var bytes: [UInt8] = []
    /// Everything before it has been handed out.
    private var head = 0
    /// No NUL stands between `head` and here.
    private var scanned = 0

    init(limit: Int) { self.limit = limit }

    /// Bytes that wait to be handed out.
    var count: Int { bytes.count - head }

    mutating func append(_ new: some Sequence<UInt8>) { bytes.append(contentsOf: new) }

    /// The next whole message without its NUL, or nil until one is there.
    mutating func next() throws(ControlFailure) -> [UInt8]? {
        while scanned < bytes.count, bytes[scanned] != 0 { scanned += 1 }
        guard scanned - head <= limit else { throw .requestTooLarge(limit: limit) }
        guard scanned < bytes.count else { return nil }
        let message = Array(bytes[head..<scanned])
        scanned += 1
        head = scanned
        compact()
        return message
    }

    /// Moves what is left to the front once it is the smaller part, so that each byte moves once.
    private mutating func compact() {
        guard head > bytes.count / 2 else { return }
        bytes.removeSubrange(..<head)
        scanned -= head
        head = 0
    }
}
