/// Splits a byte stream into messages that end with NUL.
struct MessageBuffer {
    /// Maximum bytes of a message before its NUL.
    let limit: Int
    private var bytes: [UInt8] = []
    /// Index of the first byte that `next` has not returned.
    private var head = 0
    /// There is no NUL between `head` and this index.
    private var scanned = 0

    init(limit: Int) { self.limit = limit }

    /// Bytes that `next` has not returned yet.
    var count: Int { bytes.count - head }

    mutating func append(_ new: some Sequence<UInt8>) { bytes.append(contentsOf: new) }

    /// Removes and returns the next complete message without its NUL; nil if there is none.
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

    /// Moves the rest to the front when it is less than half, so that each byte moves about once.
    private mutating func compact() {
        guard head > bytes.count / 2 else { return }
        bytes.removeSubrange(..<head)
        scanned -= head
        head = 0
    }
}
