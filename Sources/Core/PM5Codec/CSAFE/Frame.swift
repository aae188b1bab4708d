import Bytes

/// A CSAFE frame: flags, contents, and a checksum, which is the XOR of the contents.
///
/// Source: Concept2 CSAFE definition rev 0.25, frame structure; 46 requests and 46 replies of the
/// ErgometerJS recording show that the checksum excludes the addresses and is stuffed.
package struct Frame: Hashable, Sendable {
    /// The longest frame that a monitor accepts, with flags, checksum and stuffing.
    package static let maximumLength = 120
    /// The longest single value for 0x0021, and the longest notification of 0x0022.
    package static let pieceLength = 20

    /// Destination and source of an extended frame; a reply swaps them.
    package struct Addresses: Hashable, Sendable {
        /// A PC or phone.
        package static let host: UInt8 = 0x00
        /// A monitor without an assigned address from 01 to FC.
        package static let defaultSecondary: UInt8 = 0xFD
        /// Every monitor on the line.
        package static let broadcast: UInt8 = 0xFF

        /// 00 host, 01 to FC assigned, FD unassigned, FE reserved, FF broadcast.
        package var destination = defaultSecondary
        /// As `destination`.
        package var source = host

        /// The addresses of the reply.
        package var swapped: Addresses { Addresses(destination: source, source: destination) }
    }

    /// Nil in a standard frame.
    package var addresses: Addresses?
    /// Commands, or a status byte and replies; unstuffed, without the checksum.
    package var contents: [UInt8]

    package init(contents: [UInt8], addresses: Addresses? = nil) {
        self.contents = contents
        self.addresses = addresses
    }

    /// XOR of all bytes.
    package static func checksum(_ contents: some Sequence<UInt8>) -> UInt8 {
        contents.reduce(0, ^)
    }

    /// The encoded frame, of any length.
    package var bytes: [UInt8] {
        var wire = [addresses == nil ? ByteStuffing.standardStart : ByteStuffing.extendedStart]
        wire.reserveCapacity(contents.count + 8)
        forEachStuffedByte { ByteStuffing.append($0, to: &wire) }
        wire.append(ByteStuffing.stop)
        return wire
    }

    /// The length of `bytes`, computed without building them.
    package var encodedLength: Int {
        var length = 2
        forEachStuffedByte { length += ByteStuffing.length(of: $0) }
        return length
    }

    /// `bytes` split into values for 0x0021 or 0x0022, at most 20 bytes each, in order.
    ///
    /// A split may divide a stuffed pair, because receivers join the values before they unstuff.
    package var pieces: [ArraySlice<UInt8>] {
        let wire = bytes
        return stride(from: 0, to: wire.count, by: Self.pieceLength).map { start in
            wire[start..<min(start + Self.pieceLength, wire.count)]
        }
    }

    private func forEachStuffedByte(_ body: (UInt8) -> Void) {
        if let addresses {
            body(addresses.destination)
            body(addresses.source)
        }
        contents.forEach(body)
        body(Self.checksum(contents))
    }
}

/// Why bytes between flags are not a frame.
package enum FrameFault: Error, Hashable, Sendable {
    /// The last byte is not the XOR of the others.
    case checksum(expected: UInt8, found: UInt8)
    /// An escape followed by something other than 00 to 03.
    case badEscape(UInt8)
    /// A new start flag, or the end of the input, came before the stop flag; these bytes are discarded.
    case noStopFlag(discarded: Int)
    /// No checksum, or no addresses in an extended frame.
    case tooShort(Int)
    /// The content exceeds `FrameParser.capacity`.
    case tooLong(limit: Int)
}

extension FrameFault: CustomStringConvertible {
    package var description: String {
        switch self {
        case .checksum(let expected, let found):
            "checksum \(hexadecimal([found])) instead of \(hexadecimal([expected]))"
        case .badEscape(let code): "escape followed by \(hexadecimal([code]))"
        case .noStopFlag(let discarded): "no stop flag after \(discarded) bytes"
        case .tooShort(let length): "only \(length) bytes between the flags"
        case .tooLong(let limit): "more than \(limit) bytes without a stop flag"
        }
    }
}
