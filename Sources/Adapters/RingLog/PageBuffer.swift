import Glibc

extension UnsafeRawBufferPointer {
    /// The little-endian integer at `offset`, which need not be aligned.
    @inline(__always)
    func littleEndian<Integer: FixedWidthInteger & BitwiseCopyable>(
        at offset: Int, as type: Integer.Type
    ) -> Integer {
        Integer(littleEndian: loadUnaligned(fromByteOffset: offset, as: type))
    }

    func part(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: self[range])
    }

    /// Whether all bytes are zero: the first is zero, and each equals the one before it.
    var isZero: Bool {
        guard let baseAddress, let first else { return true }
        return first == 0 && memcmp(baseAddress, baseAddress + 1, count - 1) == 0
    }
}

extension UnsafeMutableRawBufferPointer {
    /// Stores `value` little-endian at `offset`, which need not be aligned.
    func store<Integer: FixedWidthInteger>(_ value: Integer, at offset: Int) {
        withUnsafeBytes(of: value.littleEndian) {
            UnsafeMutableRawBufferPointer(rebasing: self[offset...]).copyMemory(from: $0)
        }
    }

    func part(_ range: Range<Int>) -> UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(rebasing: self[range])
    }

    func clear() {
        guard let baseAddress else { return }
        baseAddress.initializeMemory(as: UInt8.self, repeating: 0, count: count)
    }
}

/// Page-aligned memory, initially zero, freed with its owner.
final class PageBuffer {
    /// Valid while this object exists.
    let bytes: UnsafeMutableRawBufferPointer

    init(count: Int) {
        precondition(count > 0 && count % LogFormat.pageSize == 0, "memory is in whole pages")
        bytes = .allocate(byteCount: count, alignment: LogFormat.pageSize)
        bytes.clear()
    }

    deinit { bytes.deallocate() }

    var readOnly: UnsafeRawBufferPointer { UnsafeRawBufferPointer(bytes) }
}
