import Bytes
import Contract
import LogbookStores

/// Where a list goes on. A client gets it as a cursor, which it hands back as it is.
protocol PageMark {
    /// The list's name: no cursor is of another list.
    static var list: String { get }
    /// Texts without a space.
    var fields: [String] { get }
    init?(fields: [String])
}

extension PageMark {
    var cursor: String { hexadecimal(([Self.list] + fields).joined(separator: " ").utf8) }

    /// nil for what `cursor` has not written.
    init?(cursor: String) {
        let digits = Array(cursor.utf8)
        guard digits.count <= 400, digits.count % 2 == 0 else { return nil }
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap { start in
            UInt8(String(decoding: digits[start..<start + 2], as: UTF8.self), radix: 16)
        }
        let words = String(decoding: bytes, as: UTF8.self).split(separator: " ").map(String.init)
        guard words.first == Self.list else { return nil }
        self.init(fields: Array(words.dropFirst()))
        guard self.cursor == cursor else { return nil }
    }
}

extension SessionMark: PageMark {
    static let list = "sessions"
    var fields: [String] { ["\(firstAt)", name.session, name.gateway.slug] }

    init?(fields: [String]) {
        guard fields.count == 3, let firstAt = Int64(fields[0]),
            let gateway = GatewayID(fields[2])
        else { return nil }
        self.init(firstAt: firstAt, name: SessionName(gateway: gateway, session: fields[1]))
    }
}

extension RecordMark: PageMark {
    static let list = "records"
    var fields: [String] { [unixMilliseconds, sequence, row].map { "\($0)" } }

    init?(fields: [String]) {
        let numbers = fields.compactMap { Int64($0) }
        guard fields.count == 3, numbers.count == 3 else { return nil }
        self.init(unixMilliseconds: numbers[0], sequence: numbers[1], row: numbers[2])
    }
}

/// The last athlete of a page.
struct AthleteMark: PageMark {
    static let list = "athletes"
    let slug: String
    var fields: [String] { [slug] }

    init(slug: String) { self.slug = slug }

    init?(fields: [String]) {
        guard fields.count == 1 else { return nil }
        slug = fields[0]
    }
}

/// The last stream of a page, of a gateway that the address names.
struct StreamMark: PageMark {
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
