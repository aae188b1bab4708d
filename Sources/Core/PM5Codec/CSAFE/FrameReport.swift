import Bytes

/// The fields of a CSAFE frame under published names, for printing and for tests.
package enum FrameReport {
    /// The sender of a frame, if known.
    package enum Sender: Sendable {
        /// The contents are commands.
        case host
        /// The contents are a status byte and replies; force samples are listed.
        case monitor
    }

    /// Describes the first frame in `bytes`.
    ///
    /// - Parameter sender: nil leaves the contents undecoded.
    package static func fields(of bytes: [UInt8], from sender: Sender?) -> [Field] {
        let isExtended = bytes.first == ByteStuffing.extendedStart
        let kind = Field("frame_kind", .text(isExtended ? "extended" : "standard"))
        do throws(FrameFault) {
            let frame = try Frame(decoding: bytes)
            let fields = [kind] + fields(of: frame)
            return switch sender {
            case .host: fields + requestFields(of: frame)
            case .monitor: fields + responseFields(of: frame)
            case nil: fields
            }
        } catch {
            return [kind, Field("valid", .flag(false)), Field("error", .text(error.name))]
        }
    }

    private static func fields(of frame: Frame) -> [Field] {
        var fields = [
            Field("valid", .flag(true)), Field("contents", .hex(frame.contents)),
        ]
        if let addresses = frame.addresses {
            fields.append(Field("destination", addresses.destination))
            fields.append(Field("source", addresses.source))
        }
        return fields
    }

    private static func requestFields(of frame: Frame) -> [Field] {
        do throws(DecodeError) {
            let commands = try Command.parse(frame.contents)
            return [Field("commands", .list(commands.map { .object($0.fields) }))]
        } catch {
            return [Field("request_error", .text(error.description))]
        }
    }

    private static func responseFields(of frame: Frame) -> [Field] {
        do throws(DecodeError) {
            let response = try Response(frame)
            var fields = [Field("response", .object(response.fields))]
            if let plot = try response.value(of: .forcePlot(byteCount: 0)) {
                fields.append(Field("force_plot", .object(plot.fields)))
            }
            return fields
        } catch {
            return [Field("response_error", .text(error.description))]
        }
    }
}

extension Response {
    /// The parts of the status byte, then each reply with its ID and data.
    package var fields: [Field] {
        let replies = replies.map { reply in
            FieldValue.object(
                [Field("command", reply.id)]
                    + (reply.data.map { [Field("data", .hex($0))] } ?? []))
        }
        return status.fields + [Field("responses", .list(replies))]
            + (isTruncated ? [Field("truncated", .flag(true))] : [])
    }
}

extension SampleBlock {
    /// The byte count and the new samples.
    package var fields: [Field] {
        [Field("bytes_valid", validBytes), Field("samples_raw", .integers(samples))]
    }
}

extension FrameFault {
    fileprivate var name: String {
        switch self {
        case .checksum: "checksum"
        case .badEscape: "bad escape"
        case .noStopFlag: "no stop flag"
        case .tooShort: "too short"
        case .tooLong: "too long"
        }
    }
}
