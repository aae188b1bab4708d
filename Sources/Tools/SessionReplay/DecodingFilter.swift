import Bytes
import PM5Codec

/// Adds the decoded fields to every line of a recording: `rowgatectl decode`.
///
/// A line keeps its members and gains `fields`, or `error` if the value cannot be decoded. A line
/// that is not a JSON object becomes `{"line":N,"error":"..."}`, so each input line that is
/// not blank gives one output line. `fields` and `error` of an earlier run are replaced.
package struct DecodingFilter {
    private var splitter = LineSplitter()
    private var requests = FrameAssembler()
    private var responses = FrameAssembler()
    private var lineNumber = 0

    /// Lines that were not JSON objects so far.
    package private(set) var syntaxErrors = 0

    package init() {}

    /// Consumes a part of the recording and appends the completed lines to `output`.
    package mutating func consume(_ bytes: some Collection<UInt8>, into output: inout [UInt8]) {
        for line in splitter.consume(bytes) { decode(line, into: &output) }
    }

    /// Ends the recording; returns a message for each incomplete CSAFE frame.
    package mutating func finish(into output: inout [UInt8]) -> [String] {
        if let line = splitter.finish() { decode(line, into: &output) }
        return [(CharacteristicID.csafeIn, requests), (.csafeOut, responses)].compactMap {
            id, assembler in
            assembler.pendingBytes > 0
                ? "\(id): the recording ends \(assembler.pendingBytes) bytes into a frame" : nil
        }
    }

    private mutating func decode(_ line: LineSplitter.Line, into output: inout [UInt8]) {
        lineNumber += 1
        guard !line.isBlank else { return }
        let object: JSONObject
        do throws(RecordingProblem) {
            object = try JSONObject(line: line)
        } catch {
            syntaxErrors += 1
            let fields = [
                Field("line", lineNumber), Field("error", .text(error.description)),
            ]
            output.append(contentsOf: FieldValue.object(fields).json.utf8)
            output.append(UInt8(ascii: "\n"))
            return
        }
        var added: [Field] = []
        do throws(RecordingProblem) {
            added = members(of: try reading(of: try RecordedValue(line: object)))
        } catch {
            added = [Field("error", .text(error.description))]
        }
        object.write(into: &output, adding: added)
    }

    private func members(of reading: ValueReading) -> [Field] {
        var members: [Field] = []
        if let fields = reading.fields { members.append(Field("fields", .object(fields))) }
        if reading.extraBytes > 0 { members.append(Field("extra_bytes", reading.extraBytes)) }
        if let problem = reading.problem {
            members.append(Field("error", .text(problem.description)))
        }
        return members
    }

    private mutating func reading(
        of value: RecordedValue
    ) throws(RecordingProblem) -> ValueReading {
        switch value.source {
        case .frame: ValueReading(ofFrame: value.bytes, from: nil)
        case .answer: ValueReading(ofFrame: value.bytes, from: .monitor)
        case .characteristic(.csafeIn, _): requests.reading(of: value.bytes, from: .host)
        case .characteristic(.csafeOut, _): responses.reading(of: value.bytes, from: .monitor)
        case .characteristic(let id, let inside):
            try ValueReading(of: id, inside: inside, value.bytes)
        }
    }
}

extension FrameAssembler {
    fileprivate mutating func reading(
        of bytes: [UInt8], from sender: FrameReport.Sender
    ) -> ValueReading {
        let noiseBefore = noiseBytes
        let completed = consume(bytes)
        return ValueReading(
            of: completed, from: sender, pending: pendingBytes,
            noise: noiseBytes - noiseBefore)
    }
}

extension JSONObject {
    /// Appends the object as one line: its members as written, those of the same name as an added
    /// one left out, then the added ones.
    fileprivate func write(into output: inout [UInt8], adding added: [Field]) {
        var separator = UInt8(ascii: "{")
        for member in members where !DecodingFilter.ownNames.contains(member.name) {
            output.append(separator)
            output.append(contentsOf: member.nameSource)
            output.append(UInt8(ascii: ":"))
            output.append(contentsOf: member.valueSource)
            separator = UInt8(ascii: ",")
        }
        for field in added {
            output.append(separator)
            output.append(contentsOf: "\"\(field.name)\":\(field.value.json)".utf8)
            separator = UInt8(ascii: ",")
        }
        output.append(contentsOf: "}\n".utf8)
    }
}

extension DecodingFilter {
    /// Members added by this filter; a line that already has them was decoded before.
    fileprivate static let ownNames: Set<String> = ["fields", "extra_bytes", "error"]
}
