import Foundation
import Glibc
import RingLog

/// A device in memory that can lose unsynced writes, like a power cut.
package final class CrashingBlockDevice: BlockDevice, @unchecked Sendable {
    // One test, one step at a time; but a recorder reads it on one queue while it writes on another.
    private let lock = NSRecursiveLock()
    package let path = "memory"
    /// The content that the system returns: everything written.
    package private(set) var content: [UInt8]
    /// The durable content.
    private var durable: [UInt8]
    private var unsynced: [(offset: Int, bytes: [UInt8])] = []
    /// Writes and syncs so far.
    package private(set) var operations = 0
    package private(set) var writtenBytes = 0
    /// The operation at which the device stops; that one is half done, all later ones fail.
    package var stopsAt = Int.max
    /// Fails the next operations of a kind with this code, without any effect.
    package var writeError: Int32?
    package var syncError: Int32?
    package var allocateError: Int32?
    package var readErrors: Set<Int> = []
    /// Pages written again after a sync had made them durable, headers of segments apart.
    package private(set) var rewrittenPages: Set<Int> = []
    private var syncedPages: Set<Int> = []

    package init(_ content: [UInt8] = []) {
        self.content = content
        durable = content
    }

    /// The content after a power cut.
    package enum Loss: CaseIterable {
        /// All that was not synced.
        case everything
        /// All after some byte, in the order of writing.
        case tail
        /// Any sectors, whatever their order, and one is torn.
        case sectors
        /// Nothing: the process was killed, the system lives.
        case nothing
    }

    package func content(after loss: Loss, using random: inout SeededGenerator) -> [UInt8] {
        lock.lock()
        defer { lock.unlock() }
        var image = durable
        switch loss {
        case .everything: break
        case .nothing: image = content
        case .tail:
            var budget = Int.random(
                in: 0...max(1, unsynced.reduce(0) { $0 + $1.bytes.count }), using: &random)
            for write in unsynced where budget > 0 {
                image.put(write.bytes.prefix(budget), at: write.offset)
                budget -= write.bytes.count
            }
        case .sectors:
            for write in unsynced {
                for start in stride(from: 0, to: write.bytes.count, by: 512) {
                    let sector = write.bytes[start..<min(start + 512, write.bytes.count)]
                    switch Int.random(in: 0..<16, using: &random) {
                    case 0:
                        image.put(
                            sector.prefix(Int.random(in: 0..<512, using: &random)),
                            at: write.offset + start)
                    case 1..<9: image.put(sector, at: write.offset + start)
                    default: break
                    }
                }
            }
        }
        return image
    }

    package func content(after loss: Loss) -> [UInt8] {
        var random = SeededGenerator(seed: 0)
        return content(after: loss, using: &random)
    }

    /// The power fails and returns.
    package func losePower(_ loss: Loss, using random: inout SeededGenerator) {
        lock.lock()
        defer { lock.unlock() }
        content = content(after: loss, using: &random)
        (durable, unsynced) = (content, [])
    }

    /// Truncates the file to zero.
    package func truncate() { (content, durable, unsynced) = ([], [], []) }

    /// The medium gives nothing back any more, and takes nothing.
    package func failReads() {
        readErrors = Set(0...content.count / 4096)
        writeError = EIO
    }

    package func size() throws(RingLogError) -> UInt64 {
        lock.lock()
        defer { lock.unlock() }
        return UInt64(content.count)
    }

    package func allocate(size: UInt64) throws(RingLogError) {
        lock.lock()
        defer { lock.unlock() }
        try operate(allocateError.map { RingLogError(.allocate, code: $0, path: path) })
        let missing = Int(size) - content.count
        guard missing > 0 else { return }
        content += [UInt8](repeating: 0, count: missing)
        durable += [UInt8](repeating: 0, count: missing)
    }

    package func read(
        at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(RingLogError) -> Int {
        lock.lock()
        defer { lock.unlock() }
        let start = min(Int(offset), content.count)
        let end = min(start + buffer.count, content.count)
        if !readErrors.isDisjoint(with: start / 4096...(max(start, end - 1)) / 4096) {
            throw RingLogError(.read, code: EIO, path: path)
        }
        buffer.copyBytes(from: content[start..<end])
        return end - start
    }

    package func write(at offset: UInt64, bytes: UnsafeRawBufferPointer) throws(RingLogError) {
        lock.lock()
        defer { lock.unlock() }
        let bytes = Array(bytes)
        do {
            try operate(writeError.map { RingLogError(.write, code: $0, path: path) })
        } catch {
            if operations == stopsAt { unsynced.append((Int(offset), bytes)) }
            throw error
        }
        let pages = Set(Int(offset) / 4096...(Int(offset) + bytes.count - 1) / 4096)
        rewrittenPages.formUnion(pages.intersection(syncedPages))
        unsynced.append((Int(offset), bytes))
        writtenBytes += bytes.count
        content.grow(to: Int(offset) + bytes.count)
        content.put(bytes, at: Int(offset))
    }

    /// On an injected error the system drops unsynced writes, as Linux does: they stay
    /// readable, but never reach the medium.
    package func sync() throws(RingLogError) {
        lock.lock()
        defer { lock.unlock() }
        do {
            try operate(syncError.map { RingLogError(.sync, code: $0, path: path) })
        } catch {
            if operations < stopsAt { unsynced = [] }
            throw error
        }
        for write in unsynced {
            durable.grow(to: write.offset + write.bytes.count)
            durable.put(write.bytes, at: write.offset)
            syncedPages.formUnion(
                write.offset / 4096...(write.offset + write.bytes.count - 1) / 4096)
        }
        unsynced = []
    }

    private func operate(_ injected: RingLogError?) throws(RingLogError) {
        operations += 1
        if operations >= stopsAt { throw RingLogError(.write, code: ENODEV, path: path) }
        if let injected { throw injected }
    }
}

extension [UInt8] {
    package mutating func put(_ bytes: some Collection<UInt8>, at offset: Int) {
        let isContiguous: Void? = bytes.withContiguousStorageIfAvailable { source in
            withUnsafeMutableBytes { target in
                UnsafeMutableRawBufferPointer(rebasing: target[offset..<offset + source.count])
                    .copyMemory(from: UnsafeRawBufferPointer(source))
            }
        }
        precondition(isContiguous != nil, "bytes lie in a row")
    }
}

extension [UInt8] {
    /// With zeros, as a file grows that is written to behind its end.
    fileprivate mutating func grow(to size: Int) {
        if size > count { self += [UInt8](repeating: 0, count: size - count) }
    }
}

extension SeededGenerator {
    package mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
    }
}
