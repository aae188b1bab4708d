import PM5Codec

/// Joins the values of one CSAFE characteristic to frames, and keeps the bytes of each.
struct FrameAssembler {
    /// A frame, or what could not become one.
    struct Completed: Equatable {
        /// As it travelled; without a stop flag when a new frame began before it.
        let wire: [UInt8]
        let result: FrameParser.Event
    }

    private var parser = FrameParser()
    private var wire: [UInt8] = []

    /// Bytes of the frame that has begun and not ended.
    var pendingBytes: Int { parser.isInsideFrame ? wire.count : 0 }

    /// Bytes outside frames so far.
    var noiseBytes: Int { parser.noiseBytes }

    /// What `bytes` complete, in order.
    mutating func consume(_ bytes: [UInt8]) -> [Completed] {
        var completed: [Completed] = []
        for byte in bytes {
            let result = parser.consume(byte)
            let isStart = byte == ByteStuffing.standardStart || byte == ByteStuffing.extendedStart
            // A start flag completes the frame before it.
            if isStart, let result { completed.append(Completed(wire: wire, result: result)) }
            if isStart { wire.removeAll(keepingCapacity: true) }
            if parser.isInsideFrame || result != nil { wire.append(byte) }
            if !isStart, let result {
                completed.append(Completed(wire: wire, result: result))
                wire.removeAll(keepingCapacity: true)
            }
        }
        return completed
    }
}
