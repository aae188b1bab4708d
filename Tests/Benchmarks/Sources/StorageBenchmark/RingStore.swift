import RingLog

/// Ours.
final class RingStore: RecordStore {
    private let device: FileBlockDevice
    private let writer: LogWriter

    init(path: String, capacity: Int) throws {
        device = try FileBlockDevice.writing(path: path)
        writer = try LogWriter.open(
            device: device, geometry: LogGeometry(capacity: capacity),
            newEpoch: [UInt8](repeating: 7, count: 16)
        ).0
    }

    func append(_ record: [UInt8]) throws { try writer.append(kind: 1, bytes: record) }

    func commit() throws {
        writer.consumed = writer.end
        try writer.commit()
    }

    func readAll() throws -> Int {
        var reader = try LogReader(device: device)
        var bytes = 0
        while let item = try reader.next() {
            if case .record(let record) = item { bytes += record.bytes.count }
        }
        return bytes
    }

    /// Makes all new space ready, as the daemon does in the first minutes of a ring.
    func prepare() throws {
        try append([0])
        try commit()
        for _ in 0...writer.geometry.segmentCount {
            try writer.prepareAhead(limit: writer.geometry.segmentSize)
        }
        try device.sync()
    }
}
