import Bytes

/// Period of the timed notifications, 0x0034; lost with the connection.
///
/// Measured with 500 ms: 505 to 515 ms between packets (ErgometerJS recording).
///
/// Source: Concept2 BLE definition rev 1.30.
package enum SampleRate: WireEnumeration {
    case every1000Milliseconds
    /// The default until written.
    case every500Milliseconds
    case every250Milliseconds
    case every100Milliseconds
    case unrecognized(UInt8)

    @inline(__always)
    package static func value(of byte: UInt8) -> Self {
        switch byte {
        case 0: .every1000Milliseconds
        case 1: .every500Milliseconds
        case 2: .every250Milliseconds
        case 3: .every100Milliseconds
        default: .unrecognized(byte)
        }
    }
}

extension SampleRate: CharacteristicPayload {
    package static let characteristic = CharacteristicID.sampleRate

    @inline(__always)
    package init(decoding reader: inout ByteReader, carrier: Carrier) throws(DecodeError) {
        self = try reader.code()
    }

    package func encode(into writer: inout ByteWriter, carrier: Carrier) { writer.code(self) }

    package var fields: [Field] { [Field("sample_rate_raw", self)] }

    /// Nil for a value the document does not list.
    package var periodMilliseconds: Int? {
        switch self {
        case .every1000Milliseconds: 1000
        case .every500Milliseconds: 500
        case .every250Milliseconds: 250
        case .every100Milliseconds: 100
        case .unrecognized: nil
        }
    }
}
