import Timeline

/// A ZIP archive of files without compression (PKWARE APPNOTE 6.3.3: local headers 4.3.7, central directory 4.3.12,
/// its end 4.3.16). FIT files are compact, so that compression would gain little.
package struct ZIPArchive: Sendable {
    /// The largest number of files, and of bytes, without ZIP64.
    package static let maximumFiles = 0xFFFF
    package static let maximumBytes = 0x7FFF_FFFF

    private var bytes: [UInt8] = []
    private var directory: [UInt8] = []
    private var count = 0

    package init() {}

    /// Appends a file.
    ///
    /// - Parameters:
    ///   - name: of ASCII characters, unique in the archive.
    ///   - local: its time in local milliseconds, as if they were UTC. Years before 1980 become 1980.
    package mutating func append(_ name: String, _ content: [UInt8], at local: Int64) {
        precondition(count < Self.maximumFiles && bytes.count + content.count < Self.maximumBytes)
        let offset = bytes.count
        var header = ZIPFields()
        // Version 1.0, no flags, stored.
        header.two(10, 0, 0)
        let (day, time) = Self.stamp(local)
        header.two(time, day)
        header.four(Self.checksum(of: content), UInt32(content.count), UInt32(content.count))
        header.two(UInt16(name.utf8.count), 0)
        bytes += [0x50, 0x4B, 3, 4] + header.bytes + name.utf8 + content
        var place = ZIPFields()
        // No comment, first disk, no attributes.
        place.two(0, 0, 0)
        place.four(0, UInt32(offset))
        directory += [0x50, 0x4B, 1, 2, 10, 0] + header.bytes + place.bytes + name.utf8
        count += 1
    }

    /// The complete archive.
    package func finished() -> [UInt8] {
        var end = ZIPFields()
        end.two(0, 0, UInt16(count), UInt16(count))
        end.four(UInt32(directory.count), UInt32(bytes.count))
        end.two(0)
        return bytes + directory + [0x50, 0x4B, 5, 6] + end.bytes
    }

    /// The day and the time in the format of MS-DOS, in steps of 2 s.
    private static func stamp(_ local: Int64) -> (day: UInt16, time: UInt16) {
        let (days, milliseconds) = (local / 86_400_000, local % 86_400_000)
        let parts = CalendarDay(number: days).text.split(separator: "-").compactMap { Int($0) }
        guard local >= 0, parts.count == 3, (1980...2107).contains(parts[0]) else { return (1 << 5 | 1, 0) }
        let seconds = Int(milliseconds / 1000)
        return (
            UInt16((parts[0] - 1980) << 9 | parts[1] << 5 | parts[2]),
            UInt16((seconds / 3600) << 11 | (seconds / 60 % 60) << 5 | seconds % 60 / 2)
        )
    }

    /// CRC-32 with the polynomial 0xEDB88320.
    private static func checksum(of content: [UInt8]) -> UInt32 {
        ~content.reduce(~0) { sum, byte in table[Int(UInt8(truncatingIfNeeded: sum) ^ byte)] ^ sum >> 8 }
    }

    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { sum, _ in sum & 1 == 1 ? 0xEDB8_8320 ^ sum >> 1 : sum >> 1 }
    }
}

/// Little-endian fields.
private struct ZIPFields {
    private(set) var bytes: [UInt8] = []

    mutating func two(_ values: UInt16...) {
        for value in values {
            bytes += [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
        }
    }

    mutating func four(_ values: UInt32...) {
        for value in values {
            two(UInt16(truncatingIfNeeded: value), UInt16(truncatingIfNeeded: value >> 16))
        }
    }
}
