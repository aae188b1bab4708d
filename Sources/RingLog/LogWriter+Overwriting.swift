/// The one exception to "a page is never written again once durable": what a person may demand.
extension LogWriter {
    /// Replaces the payload of records by others of the same lengths, durably.
    ///
    /// Positions and lengths stay, so no other record is touched. A power cut in the middle leaves
    /// of each record the old payload, the new one, or bytes that do not verify and are passed over
    /// as damage; the bytes around it are rewritten, if at all, with the values they have.
    ///
    /// - Returns: how many were replaced; a record that has been overwritten meanwhile, is damaged,
    ///   or has another length is left alone.
    package func overwrite(
        _ records: [(position: LogPosition, bytes: [UInt8])]
    ) throws(RingLogError) -> Int {
        // A block that is still open in memory would be written once more, with the old bytes.
        try commit()
        let buffer = PageBuffer(count: LogFormat.maximumBlockSize + LogFormat.pageSize)
        var count = 0
        for record in records where record.position >= oldest {
            if try overwrite(record.position, record.bytes, buffer) { count += 1 }
        }
        try ring.device.sync()
        return count
    }

    private func overwrite(
        _ position: LogPosition, _ bytes: [UInt8], _ buffer: PageBuffer
    ) throws(RingLogError) -> Bool {
        // Devices are read and written in whole pages; a record's pages are all of its own block.
        let first = LogPosition(rawValue: LogFormat.pageDown(position.rawValue))
        let start = Int(position.rawValue - first.rawValue)
        let end = start + RecordFrame.size(payload: bytes.count)
        let pages = buffer.bytes.part(0..<Int(LogFormat.pageUp(UInt64(end))))
        try ring.read(at: first, into: pages)
        let target = pages.part(start..<end)
        let old = UnsafeRawBufferPointer(target)
        guard let frame = RecordFrame.parse(old), frame.size == target.count,
            LogFormat.callerKinds.contains(frame.kind),
            frame.verify(old, at: position, seed: ring.seed)
        else { return false }
        let kind = frame.kind
        _ = bytes.withUnsafeBytes { payload in
            RecordFrame.write(
                kind: kind, payload: payload, at: position, seed: ring.seed, into: target)
        }
        try ring.write(at: first, bytes: UnsafeRawBufferPointer(pages))
        return true
    }
}
