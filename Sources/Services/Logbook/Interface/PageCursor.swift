import Bytes
import Contract
import LogbookStores

/// A position in a list. A client gets it as an opaque text and returns it to get the next page.
protocol PageCursor {
    /// The name of the list. A cursor of another list is rejected.
    static var list: String { get }
    /// The parts of the cursor, which contain no spaces.
    var fields: [String] { get }
    init?(fields: [String])
}

extension PageCursor {
    /// The text for the client, in hexadecimal.
    var encoded: String { hexadecimal(([Self.list] + fields).joined(separator: " ").utf8) }

    /// Returns nil for a text that `encoded` cannot have written.
    init?(encoded: String) {
        let digits = Array(encoded.utf8)
        guard digits.count <= 400, digits.count % 2 == 0 else { return nil }
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap { start in
            UInt8(String(decoding: digits[start..<start + 2], as: UTF8.self), radix: 16)
        }
        let words = String(decoding: bytes, as: UTF8.self).split(separator: " ").map(String.init)
        guard words.first == Self.list else { return nil }
        self.init(fields: Array(words.dropFirst()))
        guard self.encoded == encoded else { return nil }
    }
}

extension SessionCursor: PageCursor {
    static let list = "sessions"
    var fields: [String] { ["\(firstAt)", name.session, name.gateway.slug] }

    init?(fields: [String]) {
        guard fields.count == 3, let firstAt = Int64(fields[0]),
            let gateway = GatewayID(fields[2])
        else { return nil }
        self.init(firstAt: firstAt, name: SessionName(gateway: gateway, session: fields[1]))
    }
}

extension RecordCursor: PageCursor {
    static let list = "records"
    var fields: [String] { [unixMilliseconds, sequence, row].map { "\($0)" } }

    init?(fields: [String]) {
        let numbers = fields.compactMap { Int64($0) }
        guard fields.count == 3, numbers.count == 3 else { return nil }
        self.init(unixMilliseconds: numbers[0], sequence: numbers[1], row: numbers[2])
    }
}

/// The last athlete of a page.
struct AthleteCursor: PageCursor {
    static let list = "athletes"
    let slug: String
    var fields: [String] { [slug] }

    init(slug: String) { self.slug = slug }

    init?(fields: [String]) {
        guard fields.count == 1 else { return nil }
        slug = fields[0]
    }
}

/// The last stream of a page. The path names the gateway.
struct StreamCursor: PageCursor {
    static let list = "streams"
    let epoch: String
    let stream: StreamID

    init(_ stored: StoredStream) { (epoch, stream) = (stored.epoch, stored.stream) }

    var fields: [String] { [epoch, stream.path] }

    init?(fields: [String]) {
        guard fields.count == 2, let stream = StreamID(path: fields[1]) else { return nil }
        (epoch, self.stream) = (fields[0], stream)
    }
}
