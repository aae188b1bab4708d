import Foundation
import Testing

@testable import Bytes

@Suite struct JSONCodingTests {
    private struct Sample: Codable, Equatable {
        enum Kind: String, Codable { case long = "a/b" }
        struct Part: Codable, Equatable {
            var name: String
            var share: Double?
        }

        var text = "\"\\/\u{8}\u{C}\n\r\t\u{1}\u{1F}\u{7F} é€𝄞\u{2028}"
        var flag = true
        var whole = Int.min
        var large = UInt64.max
        var byte: [UInt8] = [0, 255]
        var numbers = [0, -0.0, 100, 0.1, 1e-7, 1e16, 123_456_789.25, -2.5e300]
        var single: Float = 1.5
        var kind = Kind.long
        var parts = [Part(name: "", share: nil), Part(name: "x", share: 2)]
        var matrix: [[Int?]] = [[], [nil, 1]]
        var table = ["z": 1, "a_b": 2, "aB": 3, "ab": 4, "a": 5]
        var none: [String: Int] = [:]
        var absent: String?
    }

    @Test(arguments: [false, true])
    func encodesLikeFoundation(pretty: Bool) throws {
        // The control socket and --json must have the same bytes as with Foundation's encoder.
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if pretty { encoder.outputFormatting.insert(.prettyPrinted) }
        let expected = String(decoding: try encoder.encode(Sample()), as: UTF8.self)
        #expect(try JSONEncoding.text(Sample(), pretty: pretty) == expected)
    }

    @Test func roundTripsEveryKind() throws {
        // All kinds of values, pretty-printed and not.
        for pretty in [false, true] {
            let text = try JSONEncoding.text(Sample(), pretty: pretty)
            #expect(try JSONDecoding.value(Sample.self, from: Array(text.utf8)) == Sample())
        }
        #expect(throws: EncodingError.self) { try JSONEncoding.text([Double.nan]) }
    }

    static let wrong: [(text: String, path: [String])] = [
        (#"{"name":1}"#, ["name"]), (#"{"name":null}"#, ["name"]), ("{}", []), ("[]", []),
        (#"{"name":"x","share":"y"}"#, ["share"]), (#"{"name":"x""#, []),
    ]

    @Test(arguments: wrong)
    func reportsPathOfError(text: String, path: [String]) throws {
        // Examples, compared with Foundation's decoder.
        func place(_ decode: () throws -> Sample.Part) -> [String] {
            do {
                _ = try decode()
                return ["decoded"]
            } catch DecodingError.typeMismatch(_, let context),
                DecodingError.valueNotFound(_, let context),
                DecodingError.dataCorrupted(let context)
            {
                return context.codingPath.map(\.stringValue)
            } catch {
                return []
            }
        }
        #expect(place { try JSONDecoding.value(Sample.Part.self, from: Array(text.utf8)) } == path)
        #expect(place { try JSONDecoder().decode(Sample.Part.self, from: Data(text.utf8)) } == path)
    }

    @Test(arguments: ["5", "5.0", "50e-1", "18446744073709551615", "-1", "1e3", "0.5", "1e99"])
    func acceptsWholeNumbersInAnyForm(text: String) {
        // Compared with Foundation's decoder.
        let ours = try? JSONDecoding.value([UInt64].self, from: Array("[\(text)]".utf8))
        let theirs = try? JSONDecoder().decode([UInt64].self, from: Data("[\(text)]".utf8))
        #expect(ours == theirs)
    }
}
