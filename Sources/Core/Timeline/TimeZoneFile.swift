/// Why bytes are not a usable time zone.
package enum TimeZoneFileFault: Error, Equatable, CustomStringConvertible {
    /// The header is not that of a TZif file.
    case notTimeZone
    /// The file ends before its tables.
    case truncated
    /// A part contradicts another part or RFC 9636.
    case invalid(String)
    /// The file contains leap seconds, which Unix time does not have.
    case leapSeconds

    package var description: String {
        switch self {
        case .notTimeZone: "it is not a TZif file"
        case .truncated: "it ends too early"
        case .invalid(let part): "its \(part)"
        case .leapSeconds: "it contains leap seconds, which Unix time does not have"
        }
    }
}

extension TimeZoneRules {
    /// The largest accepted file, in bytes; files of tzdata have less than 4 KiB.
    package static let maximumFileBytes = 1 << 16

    /// Parses a TZif file (RFC 9636, versions 1 to 4) of the time zone database.
    ///
    /// Layout: a header of 44 bytes and a data block with 4-byte times. From version 2 on, another header,
    /// a data block with 8-byte times, and a footer with a POSIX rule between two line feeds follow; the
    /// first block is then skipped. A block contains transition times, a type index for each, types
    /// (offset, daylight flag, abbreviation index), abbreviations, leap seconds, and two lists of unused
    /// indicators.
    package init(tzif bytes: [UInt8]) throws(TimeZoneFileFault) {
        var reader = TZifReader(bytes)
        var header = try reader.header()
        var hasFooter = false
        var timeBytes = 4
        if header.version >= UInt8(ascii: "2") {
            try reader.skip(header.blockBytes(timeBytes: 4))
            header = try reader.header()
            (timeBytes, hasFooter) = (8, true)
        }
        (initial, changes) = try reader.block(header, timeBytes: timeBytes)
        future = hasFooter ? try reader.footer() : nil
    }
}

private struct TZifReader {
    struct Header {
        let version: UInt8
        let universalIndicators, standardIndicators, leapSeconds: Int
        let times, types, characters: Int

        func blockBytes(timeBytes: Int) -> Int {
            times * (timeBytes + 1) + types * 6 + characters + leapSeconds * (timeBytes + 4)
                + standardIndicators + universalIndicators
        }
    }

    private let bytes: [UInt8]
    private var at = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func skip(_ count: Int) throws(TimeZoneFileFault) {
        guard count <= bytes.count - at else { throw .truncated }
        at += count
    }

    private mutating func integer(_ width: Int) throws(TimeZoneFileFault) -> Int64 {
        let start = at
        try skip(width)
        let value = bytes[start..<at].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        // Extends the sign of a shorter number.
        let spare = 64 - 8 * width
        return Int64(bitPattern: value << spare) >> spare
    }

    private mutating func count() throws(TimeZoneFileFault) -> Int {
        let count = try integer(4)
        guard (0...Int64(bytes.count)).contains(count) else { throw .truncated }
        return Int(count)
    }

    mutating func header() throws(TimeZoneFileFault) -> Header {
        guard bytes[at...].starts(with: Array("TZif".utf8)) else { throw .notTimeZone }
        guard bytes.count - at >= 44 else { throw .truncated }
        let version = bytes[at + 4]
        at += 20
        let (universal, standard) = (try count(), try count())
        let (leap, times) = (try count(), try count())
        let (types, characters) = (try count(), try count())
        return Header(
            version: version, universalIndicators: universal, standardIndicators: standard,
            leapSeconds: leap, times: times, types: types, characters: characters)
    }

    mutating func block(
        _ header: Header, timeBytes: Int
    ) throws(TimeZoneFileFault) -> (TimeZoneRules.Offset, [TimeZoneRules.Change]) {
        guard header.leapSeconds == 0 else { throw .leapSeconds }
        guard header.blockBytes(timeBytes: timeBytes) <= bytes.count - at else { throw .truncated }
        var times: [Int64] = []
        for _ in 0..<header.times { times.append(try integer(timeBytes)) }
        let indices = bytes[at..<at + header.times].map(Int.init)
        at += header.times
        let offsets = try offsets(header)
        guard let initial = offsets.first else { throw .invalid("list of offsets is empty") }
        guard indices.allSatisfy({ $0 < offsets.count }) else {
            throw .invalid("changes name an offset that is not listed")
        }
        guard zip(times, times.dropFirst()).allSatisfy({ $0 < $1 }) else {
            throw .invalid("changes are not in order")
        }
        let changes = zip(times, indices).map {
            TimeZoneRules.Change(at: $0, offset: offsets[$1])
        }
        try skip(header.standardIndicators + header.universalIndicators)
        return (initial, changes)
    }

    private mutating func offsets(
        _ header: Header
    ) throws(TimeZoneFileFault) -> [TimeZoneRules.Offset] {
        let names = bytes[at + header.types * 6..<at + header.types * 6 + header.characters]
        var offsets: [TimeZoneRules.Offset] = []
        for _ in 0..<header.types {
            let seconds = try integer(4)
            let (isDaylight, index) = (bytes[at] != 0, Int(bytes[at + 1]))
            at += 2
            // The limits of RFC 9636: 25 hours west and 26 hours east.
            guard (-89_999...93_599).contains(seconds) else {
                throw .invalid("offset of \(seconds) s is more than a day")
            }
            guard index < names.count else {
                throw .invalid("offsets name an abbreviation that is not listed")
            }
            let name = names.dropFirst(index).prefix { $0 != 0 }
            offsets.append(
                TimeZoneRules.Offset(
                    seconds: seconds, isDaylight: isDaylight,
                    abbreviation: String(decoding: name, as: UTF8.self)))
        }
        try skip(header.characters)
        return offsets
    }

    /// Nil if there is no rule.
    mutating func footer() throws(TimeZoneFileFault) -> PosixTimeZone? {
        let feed = UInt8(ascii: "\n")
        guard at < bytes.count, bytes[at] == feed else { throw .truncated }
        let rest = bytes[(at + 1)...]
        guard let end = rest.firstIndex(of: feed) else { throw .truncated }
        if end == at + 1 { return nil }
        let text = String(decoding: rest[..<end], as: UTF8.self)
        guard let rule = PosixTimeZone(text) else {
            throw .invalid("rule \"\(text.prefix(60))\" is not a POSIX time zone")
        }
        return rule
    }
}

/// The offsets of a time zone from UTC.
///
/// A zone has a table of past changes. The rule in the footer of the file applies to later instants.
package struct TimeZoneRules: Equatable, Sendable {
    /// An offset of a zone during a period.
    struct Offset: Equatable, Sendable {
        /// Added to UTC: positive east of Greenwich.
        let seconds: Int64
        /// Whether it is daylight-saving time.
        let isDaylight: Bool
        /// `CET`, or `-03`.
        let abbreviation: String
    }

    /// A change of the offset at an instant.
    struct Change: Equatable, Sendable {
        /// Unix seconds.
        let at: Int64
        let offset: Offset
    }

    /// The offset before the first change.
    let initial: Offset
    /// In order of their instants.
    let changes: [Change]
    /// The rule after the last change; nil if the last offset stays.
    let future: PosixTimeZone?

    /// Coordinated Universal Time.
    package static let utc = TimeZoneRules(
        initial: Offset(seconds: 0, isDaylight: false, abbreviation: "UTC"), changes: [],
        future: nil)

    /// The offset at an instant, in Unix seconds.
    func offset(at seconds: Int64) -> Offset {
        guard let last = changes.last else { return future?.offset(at: seconds) ?? initial }
        if seconds >= last.at { return future?.offset(at: seconds) ?? last.offset }
        // Finds the first change after the instant.
        var (low, high) = (0, changes.count)
        while low < high {
            let middle = (low + high) / 2
            if changes[middle].at <= seconds { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? initial : changes[low - 1].offset
    }

    /// The changes in a range of Unix seconds, in order.
    func changes(in range: Range<Int64>) -> [Change] {
        let known = changes.filter { range.contains($0.at) }
        guard let future else { return known }
        let from = changes.last.map { max(range.lowerBound, $0.at + 1) } ?? range.lowerBound
        guard from < range.upperBound else { return known }
        return known + future.changes(in: from..<range.upperBound)
    }
}
