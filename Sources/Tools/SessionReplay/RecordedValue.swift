import Bytes
import PM5Codec
import Timeline

/// One line of a recording: a transmitted value and the other members of the line.
package struct RecordedValue: Equatable, Sendable {
    /// Everything the line said, in its order.
    package let line: JSONObject
    package let source: ValueSource
    package let bytes: [UInt8]

    package init(line: JSONObject) throws(RecordingProblem) {
        self.line = line
        source = try ValueSource(parsing: try line.text("characteristic"))
        bytes = try Self.bytes(try line.text("hex"))
    }

    private static func bytes(_ text: String) throws(RecordingProblem) -> [UInt8] {
        guard text.utf8.count.isMultiple(of: 2) else { throw .oddHex(digits: text.utf8.count) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count / 2)
        var high: UInt8?
        for (offset, character) in text.utf8.enumerated() {
            guard let digit = hexadecimalDigit(character) else {
                throw .notHex(digit: offset + 1)
            }
            if let first = high {
                bytes.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        return bytes
    }
}

extension RecordedValue {
    /// The sender of the value.
    enum Direction: String {
        /// The monitor, by notification.
        case received = "rx"
        /// The host.
        case sent = "tx"
        /// The monitor, when asked.
        case read
    }

    /// `dir`; a line without it was received.
    var direction: Direction {
        get throws(RecordingProblem) {
            guard line["dir"] != nil else { return .received }
            guard let direction = Direction(rawValue: try line.text("dir")) else {
                throw .wrongType("dir", expected: "rx, tx or read")
            }
            return direction
        }
    }

    /// `t_ms`: milliseconds since the recording began, or since anything else; decimals are kept.
    var instant: BootInstant {
        get throws(RecordingProblem) {
            guard let value = line["t_ms"] else { throw .missing("t_ms") }
            guard case .number(let text) = value, let milliseconds = Double(text),
                (0..<Self.latestMilliseconds).contains(milliseconds)
            else { throw .wrongType("t_ms", expected: "a number of milliseconds") }
            return BootInstant(nanoseconds: UInt64((milliseconds * 1_000_000).rounded()))
        }
    }

    /// A hundred years; also Unix time in milliseconds is below.
    private static let latestMilliseconds = 3.2e12
}

/// Where a recorded value comes from, as a recording names it.
package enum ValueSource: Hashable, Sendable {
    /// `0x31`, `0x0031`, or the full UUID; `inside` for `0x80:0x31`.
    case characteristic(CharacteristicID, inside: CharacteristicID?)
    /// `csafe`: a whole frame of either direction.
    case frame
    /// `0x21>0x22`: a whole response frame of the monitor; another line, or none, has its request.
    case answer

    package init(parsing text: String) throws(RecordingProblem) {
        switch text {
        case "csafe": self = .frame
        case "0x21>0x22": self = .answer
        default:
            let names = text.split(separator: ":", omittingEmptySubsequences: false)
            let ids = names.compactMap { Self.id(String($0)) }
            guard ids.count == names.count, ids.count == 1 || ids.count == 2,
                ids.count == 1 || ids[0] == .multiplexed
            else { throw .unknownName(text) }
            self = .characteristic(ids[0], inside: ids.count == 2 ? ids[1] : nil)
        }
    }

    private static func id(_ text: String) -> CharacteristicID? {
        if let id = PM5UUID.id(text) { return id }
        let digits = text.dropFirst(2)
        guard text.hasPrefix("0x"), (1...4).contains(digits.utf8.count),
            digits.utf8.allSatisfy({ hexadecimalDigit($0) != nil })
        else { return nil }
        return UInt16(digits, radix: 16).map(CharacteristicID.init)
    }
}

/// An error in a line of a recording, with its location.
package enum RecordingProblem: Error, Equatable, Sendable {
    case notJSON(JSONSyntaxError)
    case lineTooLong(limit: Int)
    case notAnObject
    case missing(String)
    /// `expected` describes the valid values of `name`.
    case wrongType(String, expected: String)
    case unknownName(String)
    case oddHex(digits: Int)
    /// 1-based.
    case notHex(digit: Int)
    /// The value of 0x0080 carries something other than the line says.
    case carriesOther(named: CharacteristicID, found: CharacteristicID)
    case undecodable(DecodeError)
    case frame(FrameFault)

    /// Whether the line is not JSON, or no object: then there is nothing to give back.
    package var isSyntax: Bool {
        switch self {
        case .notJSON, .lineTooLong, .notAnObject: true
        default: false
        }
    }
}

extension RecordingProblem: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notJSON(let error): "not JSON: \(error)"
        case .lineTooLong(let limit): "not JSON: longer than \(limit) bytes"
        case .notAnObject: "not a JSON object"
        case .missing(let name): "no \"\(name)\""
        case .wrongType(let name, let expected): "\"\(name)\" is not \(expected)"
        case .unknownName(let text):
            "characteristic: '\(text)' is neither like 0x31 nor like 0x80:0x31"
        case .oddHex(let digits): "hex: \(digits) digits are not whole bytes"
        case .notHex(let digit): "hex: digit \(digit) is not hexadecimal"
        case .carriesOther(let named, let found):
            "hex: carries \(found), but characteristic names \(named)"
        case .undecodable(let error): "hex: \(error)"
        case .frame(let fault): "hex: \(fault)"
        }
    }
}

extension JSONObject {
    func text(_ name: String) throws(RecordingProblem) -> String {
        guard let value = self[name] else { throw .missing(name) }
        guard case .text(let text) = value else { throw .wrongType(name, expected: "a text") }
        return text
    }
}

extension JSONObject {
    /// Parses a line of a recording.
    init(line: LineSplitter.Line) throws(RecordingProblem) {
        guard case .whole(let bytes) = line else {
            throw .lineTooLong(limit: LineSplitter.maximumLength)
        }
        let object: JSONObject?
        do throws(JSONSyntaxError) { object = try JSONObject(parsing: bytes) } catch {
            throw .notJSON(error)
        }
        guard let object else { throw .notAnObject }
        self = object
    }
}
