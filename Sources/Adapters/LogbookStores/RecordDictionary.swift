import Bytes
import CZstd
import Contract

/// A dictionary of a SQLite store: compresses records of one kind, and restores them.
///
/// zstd finds little to shorten in one record alone. With the texts that are common to many records, a stroke needs
/// a fifth of its bytes.
final class RecordDictionary {
    /// In the store, from 1.
    let number: UInt8
    let kind: StreamKind
    private let bytes: [UInt8]
    private let decompression: OpaquePointer
    /// Made when it is first needed: it has half a megabyte, and only one connection writes records.
    private var compression: OpaquePointer?

    /// The largest number. It must be less than `{`, with which a record as published begins.
    static let maximumNumber: UInt8 = 100
    /// Bytes of a new dictionary. Twice as many save 2 % more.
    static let capacity = 32 << 10
    /// zstd's level. Level 12 saves 6 % more and needs six times the time.
    private static let level: Int32 = 3

    /// nil if there is no memory, or `bytes` is not a dictionary.
    init?(number: UInt8, kind: StreamKind, bytes: [UInt8]) {
        guard let decompression = ZSTD_createDDict(bytes, bytes.count) else { return nil }
        (self.number, self.kind, self.bytes) = (number, kind, bytes)
        self.decompression = decompression
    }

    deinit {
        ZSTD_freeCDict(compression)
        ZSTD_freeDDict(decompression)
    }

    /// Makes the bytes of a dictionary from records as published; nil if they have too little in common.
    ///
    /// Ids of athletes and sessions are left out: an erased athlete must not remain in the dictionary.
    static func train(on records: [[UInt8]]) -> [UInt8]? {
        var samples: [UInt8] = []
        var sizes: [Int] = []
        for record in records {
            var sample = record
            for member in ["athlete_id", "session_id"] as [StaticString] {
                if let text = StoredRecord.range(of: member, in: sample) { sample.removeSubrange(text) }
            }
            samples += sample
            sizes.append(sample.count)
        }
        var bytes = [UInt8](repeating: 0, count: capacity)
        let count = ZDICT_trainFromBuffer(&bytes, bytes.count, samples, sizes, UInt32(sizes.count))
        guard ZDICT_isError(count) == 0 else { return nil }
        return Array(bytes.prefix(count))
    }

    /// Work memory of zstd, for one thread.
    final class Context {
        fileprivate let compression: OpaquePointer
        fileprivate let decompression: OpaquePointer

        /// nil if there is no memory.
        init?() {
            guard let compression = ZSTD_createCCtx() else { return nil }
            guard let decompression = ZSTD_createDCtx() else {
                ZSTD_freeCCtx(compression)
                return nil
            }
            (self.compression, self.decompression) = (compression, decompression)
            // The number of the dictionary is before the frame.
            ZSTD_CCtx_setParameter(compression, ZSTD_c_dictIDFlag, 0)
        }

        deinit {
            ZSTD_freeCCtx(compression)
            ZSTD_freeDCtx(decompression)
        }
    }

    /// The first four bytes of each zstd frame (RFC 8878, section 3.1.1). They are not stored.
    private static let frameStart: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]
    /// No record is longer; a longer one is damaged.
    private static let maximumRecord: UInt64 = 1 << 20

    /// Returns a zstd frame without its start; nil if there is no memory.
    func compress(_ text: [UInt8], _ context: Context) -> ArraySlice<UInt8>? {
        if compression == nil { compression = ZSTD_createCDict(bytes, bytes.count, Self.level) }
        guard let compression else { return nil }
        var frame = [UInt8](repeating: 0, count: ZSTD_compressBound(text.count))
        ZSTD_CCtx_refCDict(context.compression, compression)
        let count = ZSTD_compress2(context.compression, &frame, frame.count, text, text.count)
        return ZSTD_isError(count) == 0 ? frame[Self.frameStart.count..<count] : nil
    }

    /// Restores what `compress` returned; nil if it is damaged.
    func decompress(_ stored: ArraySlice<UInt8>, _ context: Context) -> [UInt8]? {
        let frame = Self.frameStart + stored
        let size = ZSTD_getFrameContentSize(frame, frame.count)
        // Both error codes are larger.
        guard size <= Self.maximumRecord else { return nil }
        var text = [UInt8](repeating: 0, count: Int(size))
        let count = ZSTD_decompress_usingDDict(
            context.decompression, &text, text.count, frame, frame.count, decompression)
        return count == text.count ? text : nil
    }
}
