import Testing

@testable import Bytes

/// Decoding and encoding with one list of fields.
@Suite struct ByteCodableTests {
    struct Sample: ByteCodable, Equatable {
        var text = ""
        var number: UInt64 = 0
        var flags = [false, false, false]
        var maybe: UInt16?
        var pairs: [Pair] = []

        struct Pair: Equatable {
            var name = ""
            var isSet = false
        }

        static var blank: Sample { Sample() }

        mutating func code(with coder: inout ByteCoder) {
            text.code(with: &coder)
            coder.varint(&number)
            coder.flags(&flags)
            maybe.code(with: &coder)
            coder.list(&pairs, blank: Pair()) { coder, pair in
                pair.name.code(with: &coder)
                pair.isSet.code(with: &coder)
            }
            if number == 7 { coder.refuse() }
        }
    }

    private static let sample = Sample(
        text: "ä", number: 300, flags: [true, false, true], maybe: 0x0102,
        pairs: [.init(name: "a", isSet: true), .init(name: "", isSet: false)])

    @Test func roundTripsFieldByField() {
        // Bytes derived by hand.
        let bytes: [UInt8] = [2, 0xC3, 0xA4, 0xAC, 2, 0b101, 1, 2, 1, 2, 1, 0x61, 1, 0, 0]
        #expect(Self.sample.encode() == bytes)
        #expect(Sample(decoding: bytes) == Self.sample)
        #expect(Sample(decoding: bytes + [9]) == Self.sample, "more may follow")
        #expect(Sample(decoding: Sample().encode()) == Sample())
    }

    @Test func rejectsTruncatedAndInvalidBytes() {
        // Every truncation, an impossible element count, and a value that rejects itself.
        let bytes = Self.sample.encode()
        for count in bytes.indices { #expect(Sample(decoding: Array(bytes.prefix(count))) == nil) }
        let endless = Sample().encode().dropLast() + [UInt8](repeating: 0xFF, count: 9) + [1]
        #expect(Sample(decoding: Array(endless)) == nil)
        #expect(Sample(decoding: Sample(number: 7).encode()) == nil)
    }

    @Test func leavesFieldsAfterDamageUnchanged() {
        // A truncated string, followed by a valid number.
        let read = ByteCoder.read([5, 0x61]) { coder -> Bool in
            var (text, number): (String, UInt64) = ("before", 1)
            text.code(with: &coder)
            coder.varint(&number)
            #expect(text == "before" && number == 1)
            return true
        }
        #expect(read == nil)
    }
}
