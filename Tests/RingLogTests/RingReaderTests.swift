import Foundation
import TestSupport
import Testing

@testable import RingLog

/// A ring under a script of random records.
private struct RandomRing {
    static let geometries = [
        smallGeometry, LogGeometry(segmentSize: 16 * 4096, segmentCount: 3),
        LogGeometry(segmentSize: 64 * 4096, segmentCount: 2),
    ]

    var random: SeededGenerator
    let geometry: LogGeometry
    var device = CrashingBlockDevice()
    /// All that was appended, by position.
    var appended: [LogPosition: String] = [:]

    /// What payloads are cut from: to draw each byte of each would take longer than the rest.
    private let noise: [UInt8]

    init(seed: Int, geometry: LogGeometry? = nil) {
        random = SeededGenerator(seed: UInt64(seed))
        noise = random.bytes(2 * LogFormat.maximumPayload)
        // Small ones mostly: they take the least time, and come round the soonest.
        let choice = seed % 12 == 11 ? 2 : seed % 5 / 4
        self.geometry = geometry ?? Self.geometries[choice]
    }

    /// Appends, flushes and commits at random until `bytes` are in; false when the device stopped.
    @discardableResult
    mutating func write(bytes count: Int, closing: Bool) -> Bool {
        do {
            let (writer, _) = try LogWriter.open(
                device: device, geometry: geometry, newEpoch: epoch)
            let snapshot = noise.prefix(Int.random(in: 0...3000, using: &random))
            writer.snapshot = { Array(snapshot) }
            let end = writer.end.rawValue + UInt64(count)
            while writer.end.rawValue < end { try step(writer) }
            if closing { try writer.close() }
            return true
        } catch { return false }
    }

    private mutating func step(_ writer: LogWriter) throws {
        let longest = [12, 200, 200, 3000, geometry.maximumRecordSize]
        let count = Int.random(in: 0...longest.randomElement(using: &random)!, using: &random)
        let bytes = Array(noise.dropFirst(Int.random(in: 0...count, using: &random)).prefix(count))
        let kind = UInt8.random(in: LogFormat.callerKinds, using: &random)
        let position = try writer.append(kind: kind, bytes: bytes)
        appended[position] = RingListing.recordLine(position, kind, bytes)
        switch Int.random(in: 0..<12, using: &random) {
        case 0..<4: try writer.flush()
        case 4..<6: try writer.commit()
        case 6: writer.consumed = position
        default: break
        }
    }

    mutating func write(turns: Range<Double>, closing: Bool) {
        let turns = Double.random(in: turns, using: &random)
        write(bytes: Int(turns * Double(geometry.capacity)), closing: closing)
    }

    /// Damages a sector or one bit, half of the time near the newest record.
    mutating func damage() {
        var image = device.content
        let newest = geometry.fileOffset(of: appended.keys.max() ?? .zero) / 4096
        let anywhere = Int.random(in: 1..<image.count / 4096 - 1, using: &random)
        let nearby = max(1, Int(newest) - Int.random(in: -1...2, using: &random))
        let page = (Bool.random(using: &random) ? anywhere : nearby) * 4096
        let sector = page + Int.random(in: 0..<8, using: &random) * 512
        switch Int.random(in: 0..<4, using: &random) {
        case 0: image.put(random.bytes(512), at: sector)
        case 1: image.put([UInt8](repeating: 0, count: 512), at: sector)
        case 2: image[page + Int.random(in: 0..<4096, using: &random)] ^= 4
        default: image[page + Int.random(in: 0..<BlockHeader.size, using: &random)] ^= 4
        }
        device = CrashingBlockDevice(image)
    }

    /// Rewrites a part of the newest segment or of the one before it, with a right checksum.
    mutating func forge(_ forgery: RingForgery) throws {
        let isFar = Bool.random(using: &random)
        let isNewest = Bool.random(using: &random)
        device = CrashingBlockDevice(
            try forgery.applied(to: device, geometry, isFar: isFar, isNewest: isNewest))
    }

    /// Cuts the power at a random operation, and returns the remaining content.
    mutating func cut() {
        let losses = CrashingBlockDevice.Loss.allCases + [.tail, .tail, .sectors]
        let loss = losses.randomElement(using: &random)!
        device.stopsAt = device.operations + Int.random(in: 1...60, using: &random)
        write(bytes: Int(geometry.capacity), closing: true)
        device = CrashingBlockDevice(device.content(after: loss, using: &random))
    }
}

@Suite(.enabled(if: InstalledPrograms.areAllowed)) struct RingReaderTests {
    /// Compares the two readers with each other and with the appended records.
    @discardableResult
    private func compare(
        _ rings: [RandomRing], _ names: [String]
    ) async throws -> [RingListing] {
        let images = rings.map(\.device.content)
        let found = try await RingListing.readByPython(images)
        for (index, stranger) in found.enumerated() {
            let ours = try RingListing(ours: images[index])
            let difference = stranger.difference(from: ours)
            #expect(difference == nil, "\(names[index])")
            let known = Set(rings[index].appended.values)
            for item in stranger.items where !item.contains("..<") {
                #expect(known.contains(item), "\(names[index]): \(item) was never appended")
            }
        }
        return found
    }

    @Test func pythonReadsWrittenRings() async throws {
        var rings: [RandomRing] = []
        var names: [String] = []
        for (index, geometry) in RandomRing.geometries.enumerated() {
            for seed in 0..<8 {
                var ring = RandomRing(seed: seed, geometry: geometry)
                let turns = [0.05, 0.7, 1.6, 3.3][seed % 4]
                let count = Int(turns * Double(geometry.capacity))
                let isWhole = ring.write(bytes: count, closing: seed < 4)
                #expect(isWhole)
                rings.append(ring)
                names.append("geometry \(index), seed \(seed)")
            }
        }
        let found = try await compare(rings, names)
        for (index, listing) in found.enumerated() where index % 8 < 4 {
            let records = listing.items.filter { !$0.contains("..<") }
            let appended = rings[index].appended.sorted { $0.key < $1.key }.map(\.value)
            #expect(
                !records.isEmpty && records == appended.suffix(records.count), "\(names[index])")
        }
    }

    @Test func pythonReadsRingsAfterPowerCuts() async throws {
        var rings: [RandomRing] = []
        for seed in 0..<32 {
            var ring = RandomRing(seed: seed)
            if seed % 3 != 0 { ring.write(turns: 0..<1.2, closing: seed % 2 == 0) }
            for _ in 0...seed % 3 { ring.cut() }
            rings.append(ring)
        }
        let found = try await compare(rings, rings.indices.map { "seed \($0)" })
        // It would prove little if no cut left a half write, or a hole.
        #expect(found.count { $0.end.contains("torn") && !$0.end.contains("torn 0") } > 0)
        #expect(found.count { $0.items.contains { $0.hasSuffix("damaged") } } > 0)
    }

    @Test func pythonReadsDamagedRings() async throws {
        var rings: [RandomRing] = []
        for seed in 0..<36 {
            var ring = RandomRing(seed: seed)
            ring.write(turns: 0..<1.5, closing: seed % 2 == 0)
            ring.write(turns: 0..<0.3, closing: seed % 4 < 2)
            for _ in 0...seed % 3 { ring.damage() }
            rings.append(ring)
        }
        let found = try await compare(rings, rings.indices.map { "seed \($0)" })
        #expect(found.count { $0.items.contains { $0.hasSuffix("damaged") } } > 8)
    }

    @Test func pythonRefusesImpossibleContent() async throws {
        var rings: [RandomRing] = []
        var names: [String] = []
        for forgery in RingForgery.allCases {
            for seed in 0..<4 {
                var ring = RandomRing(seed: seed)
                ring.write(turns: 0.6..<1.5, closing: seed % 2 == 0)
                try ring.forge(forgery)
                rings.append(ring)
                names.append("\(forgery), seed \(seed)")
            }
        }
        try await compare(rings, names)
    }

    @Test func pythonReadsErasedRings() async throws {
        var rings: [RandomRing] = []
        for seed in 0..<12 {
            var ring = RandomRing(seed: seed)
            ring.write(bytes: Int(ring.geometry.capacity) * 3 / 2, closing: seed % 2 == 0)
            let records = try readAll(ring.device).records
            let victims = records.filter { _ in Bool.random(using: &ring.random) }
            let (writer, _) = try LogWriter.open(
                device: ring.device, geometry: ring.geometry, newEpoch: epoch)
            let blanks = victims.map {
                (position: $0.position, bytes: [UInt8](repeating: 32, count: $0.bytes.count))
            }
            #expect(try writer.overwrite(blanks) == victims.count)
            for (victim, blank) in zip(victims, blanks) {
                ring.appended[victim.position] = RingListing.recordLine(
                    victim.position, victim.kind, blank.bytes)
            }
            for segment in writer.segments {
                _ = try writer.scrub(
                    segment: segment, writer.view.remains(in: segment), seenIn: writer.view
                ) { [UInt8](repeating: 32, count: $0.count) }
            }
            rings.append(ring)
        }
        try await compare(rings, rings.indices.map { "seed \($0)" })
    }

    @Test func pythonRefusesForeignFiles() async throws {
        var ring = RandomRing(seed: 0, geometry: smallGeometry)
        ring.write(bytes: 20_000, closing: true)
        let good = ring.device.content
        var later = good
        later[8] = 2
        var page = Array(later[..<60])
        var checksum = CRC32C()
        page.withUnsafeBytes { checksum.update($0) }
        later.put(withUnsafeBytes(of: checksum.value.littleEndian, Array.init), at: 60)
        var damaged = good
        page = [UInt8](repeating: 1, count: 20)
        damaged.put(page, at: 20)
        damaged.put(page, at: good.count - 4096 + 20)
        // Cut to nothing under its writer, which wrote the last pages of a block, and another.
        var cut = [UInt8](repeating: 0, count: good.count)
        cut.put(good[8192..<24_576], at: 8192)
        let found = try await RingListing.readByPython([
            later, damaged, Array(good.prefix(30_000)), [UInt8](repeating: 0, count: 70_000),
            payload(1, count: 70_000), [1, 2, 3], cut,
        ])
        let errors = found.map { $0.error ?? "none" }
        let expected = [
            "format version 2, this reader knows 1 at 8",
            "both superblocks are damaged at 0", "truncated: 73728 bytes are expected at 30000",
            "blank: no ring was made here yet at 0", "no ring log at 0",
            "no ring log: shorter than two superblocks at 3", "both superblocks are damaged at ",
        ]
        for (error, start) in zip(errors, expected) {
            #expect(error.hasPrefix(start), "\(error)")
        }
    }
}
