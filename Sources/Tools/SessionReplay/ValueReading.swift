import Bytes
import PM5Codec

/// The decoded fields of a recorded value, or why it cannot be decoded.
struct ValueReading: Equatable {
    var fields: [Field]?
    /// Beside `fields` for a CSAFE frame that is broken: there is still something to show.
    var problem: RecordingProblem?
    /// Bytes behind the longest layout known: newer firmware than this program.
    var extraBytes = 0

    init(fields: [Field]) {
        self.fields = fields
    }

    /// A value of a characteristic other than those of CSAFE.
    init(
        of id: CharacteristicID, inside: CharacteristicID?, _ bytes: [UInt8]
    ) throws(RecordingProblem) {
        if let inside, let first = bytes.first, UInt16(first) != inside.rawValue {
            throw .carriesOther(named: inside, found: CharacteristicID(rawValue: UInt16(first)))
        }
        do throws(DecodeError) {
            if let fields = try DeviceInformation.fields(of: id, bytes) {
                self.fields = fields
                return
            }
            let decoded = try bytes.withReader { reader throws(DecodeError) in
                try DecodedNotification(
                    characteristic: id, bytes: try reader.slice(reader.remaining))
            }
            fields = decoded.value.payload.fields
            extraBytes = decoded.extraBytes
        } catch {
            throw .undecodable(error)
        }
    }

    /// A whole CSAFE frame.
    ///
    /// - Parameter sender: nil if unknown.
    init(ofFrame wire: [UInt8], from sender: FrameReport.Sender?) {
        fields = FrameReport.fields(of: wire, from: sender)
        do throws(FrameFault) {
            _ = try Frame(decoding: wire)
        } catch {
            problem = .frame(error)
        }
    }

    /// The frames that a value of a CSAFE characteristic completed, the first good one in front.
    ///
    /// A value that completes no frame reports the bytes of the pending frame.
    init(
        of completed: [FrameAssembler.Completed], from sender: FrameReport.Sender, pending: Int,
        noise: Int
    ) {
        var readings = completed.map { ValueReading(ofFrame: $0.wire, from: sender) }
        guard !readings.isEmpty else {
            fields = [Field("frame_bytes_pending", pending)]
            if noise > 0 { fields?.append(Field("noise_bytes", noise)) }
            return
        }
        self = readings.remove(at: readings.firstIndex { $0.problem == nil } ?? 0)
        if !readings.isEmpty {
            let further = readings.map { FieldValue.object($0.fields ?? []) }
            fields?.append(Field("further_frames", .list(further)))
        }
    }
}

extension DeviceInformation {
    /// The value of a device information characteristic; nil for any other.
    fileprivate static func fields(
        of id: CharacteristicID, _ bytes: [UInt8]
    ) throws(DecodeError) -> [Field]? {
        switch id {
        case .modelNumber: [Field("model_number", .text(text(bytes)))]
        case .serialNumber: [Field("serial_number", .text(text(bytes)))]
        case .hardwareRevision: [Field("hardware_revision", .text(text(bytes)))]
        case .firmwareRevision: [Field("firmware_revision", .text(text(bytes)))]
        case .manufacturerName: [Field("manufacturer_name", .text(text(bytes)))]
        case .ergMachineType:
            [Field("erg_machine_type", try bytes.withReader(ErgMachineType.init(decoding:)))]
        case .attributeTransferUnit:
            [Field("attribute_transfer_unit_bytes", try bytes.withReader(number(decoding:)))]
        case .linkLayerDataLength:
            [Field("link_layer_data_bytes", try bytes.withReader(number(decoding:)))]
        default: nil
        }
    }
}

extension ErgMachineType {
    fileprivate init(decoding reader: inout ByteReader) throws(DecodeError) {
        self = try reader.code()
    }
}
