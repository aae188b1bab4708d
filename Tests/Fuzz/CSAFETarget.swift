import Bytes
import PM5Codec

// Input: the length of the pieces, then a stream of bytes from a monitor or from a host.
//
// The parser finds the same frames in pieces of any length, and they survive encoding. Both readings of
// a frame, as a request and as a response, accept any content.

@_cdecl("LLVMFuzzerTestOneInput")
public func csafeTarget(_ start: UnsafeRawPointer, _ count: Int) -> CInt {
    let input = [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    guard let first = input.first else { return 0 }
    let stream = input.dropFirst()
    var whole = FrameParser()
    let events = whole.consume(stream)

    var pieced = FrameParser()
    var found: [FrameParser.Event] = []
    var rest = stream
    while !rest.isEmpty {
        found += pieced.consume(rest.prefix(max(1, Int(first))))
        rest = rest.dropFirst(max(1, Int(first)))
    }
    precondition(found == events, "pieces change what is found")
    precondition(pieced.noiseBytes == whole.noiseBytes)

    for case .frame(let frame) in events { check(frame) }
    _ = FrameReport.fields(of: Array(stream), from: .monitor)
    _ = FrameReport.fields(of: Array(stream), from: .host)
    _ = whole.finish()
    return 0
}

private func check(_ frame: Frame) {
    precondition((try? Frame(decoding: frame.bytes)) == frame, "encoding changed a frame")
    precondition(frame.bytes.count == frame.encodedLength)
    if let commands = try? Command.parse(frame.contents) {
        let second = Frame(commands: commands, addresses: frame.addresses)
        precondition((try? Command.parse(second.contents)) == commands, "encoding changed commands")
    }
    guard let response = try? Response(frame) else { return }
    _ = response.fields
    _ = try? response.reportedStatus
    _ = try? response.value(of: .forcePlot(byteCount: 0))
    _ = response.acknowledgedIDs
}
