import Foundation
import TestSupport
import Testing

@testable import Bytes

private func parse(_ text: String) throws -> JSONValue {
    try JSONValue(parsing: Array(text.utf8))
}

@Suite struct JSONParserTests {
    @Test func parsesEveryKindOfValue() throws {
        // One text with every kind of value of RFC 8259.
        let value = try parse(
            #" { "a" : [ null , true, false ], "b":{"":""}, "c": -0.5E+10, "d":[] , "e":{} } "#)
        guard case .object(let object) = value else {
            Issue.record("no object")
            return
        }
        #expect(object.members.map(\.name) == ["a", "b", "c", "d", "e"])
        #expect(object["a"] == .list([.null, .flag(true), .flag(false)]))
        #expect(object["c"] == .number("-0.5E+10"))
        #expect(object["d"] == .list([]))
        #expect(object["nothing"] == nil)
        let sources = object.members.map { String(decoding: $0.valueSource, as: UTF8.self) }
        #expect(sources[0] == "[ null , true, false ]")
        #expect(sources[2] == "-0.5E+10")
    }

    @Test func escapes() throws {
        // Every escape; surrogates in pairs and alone.
        let text = #""\"\\\/\b\f\n\r\t\u0041\u00e9\ud83d\ude80\ud83dx\ude80""#
        #expect(
            try parse(text)
                == .text("\"\\/\u{8}\u{C}\n\r\tA\u{E9}\u{1F680}\u{FFFD}x\u{FFFD}"))
    }

    @Test func usesLastOfRepeatedNames() throws {
        // Most parsers use the last value.
        guard case .object(let object) = try parse(#"{"a":1,"a":2}"#) else { return }
        #expect(object["a"] == .number("2"))
    }

    @Test(arguments: [
        ("", JSONSyntaxError.Problem.noValue, 1), ("nul", .noValue, 1), ("{1:2}", .noName, 2),
        (#"{"a" 1}"#, .noColon, 6), ("[1 2]", .noSeparator, 4), ("[1,]", .noValue, 4),
        (#"{"a":1,}"#, .noName, 8), (#""abc"#, .noQuote, 5), ("\"a\tb\"", .control, 3),
        (#""\x""#, .escape, 2), (#""\u12g4""#, .escape, 2), (#""\u12"#, .escape, 2),
        ("-", .number, 2), ("1.", .number, 3), ("1e", .number, 3), ("01", .surplus, 2),
        ("1 2", .surplus, 3), ("{", .noName, 2), ("[", .noValue, 2),
        (String(repeating: "[", count: 100), .depth, 65),
    ])
    func reportsProblemAndColumn(text: String, problem: JSONSyntaxError.Problem, column: Int) {
        #expect(throws: JSONSyntaxError(problem: problem, column: column)) { try parse(text) }
    }

    @Test func rejectsInvalidUTF8() {
        // A lone continuation byte.
        #expect(throws: JSONSyntaxError(problem: .encoding, column: 2)) {
            try JSONValue(parsing: [0x20, 0x22, 0x80, 0x22])
        }
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func acceptsSameTextsAsFoundation(seed: UInt64) {
        // A line with every kind of value, in which one to three bytes are replaced by characters of JSON
        // syntax. Three of them cannot make a number beyond Double, which Foundation rejects.
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        let line = Array(#"{"a":[true,2.5,-1e3,null],"b":"x\n\u00e9","c":{"d":false}}"#.utf8)
        let bytes = Array(#"{}[]",:\-+.0123456789eEutrfalsn "#.utf8)
        for _ in 0..<20_000 {
            var text = line
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                text[Int.random(in: text.indices, using: &generator)] =
                    bytes[Int.random(in: bytes.indices, using: &generator)]
            }
            let theirs = try? JSONSerialization.jsonObject(
                with: Data(text), options: .fragmentsAllowed)
            let ours = try? JSONValue(parsing: text)
            #expect((ours == nil) == (theirs == nil), "\(String(decoding: text, as: UTF8.self))")
        }
    }
}
