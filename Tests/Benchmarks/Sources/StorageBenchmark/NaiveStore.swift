import Glibc

/// The simplest store: a growing file, synced at every commit. It cannot detect torn records, and has no
/// size limit.
final class NaiveStore: RecordStore {
    private let descriptor: Int32
    private var pending: [UInt8] = []

    init(path: String, capacity: Int) throws {
        descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o640)
        guard descriptor >= 0 else { throw Self.failure("open") }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    func append(_ record: [UInt8]) {
        pending += [UInt8(truncatingIfNeeded: record.count), UInt8(record.count >> 8)]
        pending += record
    }

    func commit() throws {
        let count = pending.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        guard count == pending.count, fdatasync(descriptor) == 0 else {
            throw Self.failure("write")
        }
        pending.removeAll(keepingCapacity: true)
    }

    func readAll() throws -> Int {
        let end = Int(lseek(descriptor, 0, SEEK_END))
        var content = [UInt8](repeating: 0, count: end)
        let count = content.withUnsafeMutableBytes {
            pread(descriptor, $0.baseAddress, $0.count, 0)
        }
        guard count == end else { throw Self.failure("read") }
        var (bytes, offset) = (0, 0)
        while offset + 2 <= end {
            let size = Int(content[offset]) | Int(content[offset + 1]) << 8
            bytes += Array(content[offset + 2..<offset + 2 + size]).count
            offset += 2 + size
        }
        return bytes
    }

    private static func failure(_ operation: String) -> StoreFailure {
        StoreFailure(description: "\(operation): " + String(cString: strerror(errno)))
    }
}
