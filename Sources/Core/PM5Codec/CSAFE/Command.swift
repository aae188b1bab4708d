import Bytes

/// A command in a frame: public, or a wrapper with proprietary commands.
///
/// IDs from 0x80 on are a single byte. Lower ones are followed by a byte count and data, in which public
/// commands are little-endian. Source: Concept2 CSAFE definition rev 0.25, public commands.
package enum Command: Hashable, Sendable {
    // State machine; a PM5 rejects commands that do not fit its state.
    case reset
    case goIdle
    case goHaveID
    case goInUse
    case goFinished
    case goReady
    case badID

    case autoUpload(configuration: UInt8)
    /// 2 to 5.
    case idDigits(UInt8)
    case setTime(hour: UInt8, minute: UInt8, second: UInt8)
    case setDate(yearsSince1900: UInt8, month: UInt8, day: UInt8)
    case setTimeout(seconds: UInt8)
    /// 0:20 to 9:59:59.
    case setWorkTime(hours: UInt8, minutes: UInt8, seconds: UInt8)
    /// The field has 16 bits, so the maximum is 65,535 m.
    case setHorizontal(UInt16, CSAFEUnit)
    /// A PM5 acknowledges but ignores it. Program calories through `.setConfiguration`.
    case setCalories(UInt16)
    /// Checks and applies the previous settings.
    case setProgram(WorkoutNumber)
    /// The power becomes the target pace.
    case setPower(UInt16, CSAFEUnit)

    case wrapped(Wrapper, [ProprietaryCommand])
    /// A request for a value, or any other command: its ID and data.
    case other(id: UInt8, data: [UInt8])

    /// Appends the ID, and below 0x80 a byte count and the data.
    package func encode(into writer: inout ByteWriter) {
        switch self {
        case .reset: writer.uint8(0x81)
        case .goIdle: writer.uint8(0x82)
        case .goHaveID: writer.uint8(0x83)
        case .goInUse: writer.uint8(0x85)
        case .goFinished: writer.uint8(0x86)
        case .goReady: writer.uint8(0x87)
        case .badID: writer.uint8(0x88)
        case .autoUpload(let configuration): writer.long(0x01, [configuration])
        case .idDigits(let count): writer.long(0x10, [count])
        case .setTime(let hour, let minute, let second): writer.long(0x11, [hour, minute, second])
        case .setDate(let year, let month, let day): writer.long(0x12, [year, month, day])
        case .setTimeout(let seconds): writer.long(0x13, [seconds])
        case .setWorkTime(let hours, let minutes, let seconds):
            writer.long(0x20, [hours, minutes, seconds])
        case .setHorizontal(let value, let unit): writer.long(0x21, value, unit)
        case .setCalories(let calories):
            writer.long(0x23, [UInt8(calories & 0xFF), UInt8(calories >> 8)])
        case .setProgram(let number): writer.long(0x24, [number.rawValue, 0])
        case .setPower(let value, let unit): writer.long(0x34, value, unit)
        case .wrapped(let wrapper, let commands):
            var inner = ByteWriter()
            for command in commands { command.encode(into: &inner, order: wrapper.byteOrder) }
            writer.long(wrapper.rawValue, inner.bytes)
        case .other(let id, let data):
            writer.command(id, data)
        }
    }
}

extension Command {
    /// Decodes the commands in a frame from a host.
    ///
    /// If the data of a command do not fit its documented layout, it becomes `.other`, as a monitor would
    /// ignore it.
    ///
    /// - Throws: if a byte count exceeds the data.
    package static func parse(_ contents: [UInt8]) throws(DecodeError) -> [Command] {
        try contents.withReader { reader throws(DecodeError) in
            var commands: [Command] = []
            while reader.remaining > 0 {
                let (id, data) = try reader.command()
                commands.append(try Command(id: id, data: data))
            }
            return commands
        }
    }

    private init(id: UInt8, data: [UInt8]) throws(DecodeError) {
        if let wrapper = Wrapper(rawValue: id) {
            self = .wrapped(
                wrapper, try ProprietaryCommand.parse(data, order: wrapper.byteOrder))
        } else {
            self =
                Command(short: id, data: data) ?? Command(long: id, data: data)
                ?? .other(id: id, data: data)
        }
    }

    private init?(short id: UInt8, data: [UInt8]) {
        switch id {
        case 0x81: self = .reset
        case 0x82: self = .goIdle
        case 0x83: self = .goHaveID
        case 0x85: self = .goInUse
        case 0x86: self = .goFinished
        case 0x87: self = .goReady
        case 0x88: self = .badID
        default: return nil
        }
    }

    private init?(long id: UInt8, data: [UInt8]) {
        switch (id, data.count) {
        case (0x01, 1): self = .autoUpload(configuration: data[0])
        case (0x10, 1): self = .idDigits(data[0])
        case (0x11, 3): self = .setTime(hour: data[0], minute: data[1], second: data[2])
        case (0x12, 3): self = .setDate(yearsSince1900: data[0], month: data[1], day: data[2])
        case (0x13, 1): self = .setTimeout(seconds: data[0])
        case (0x20, 3): self = .setWorkTime(hours: data[0], minutes: data[1], seconds: data[2])
        case (0x21, 3): self = .setHorizontal(word(data), CSAFEUnit(rawValue: data[2]))
        case (0x23, 2): self = .setCalories(word(data))
        case (0x24, 2) where data[1] == 0: self = .setProgram(WorkoutNumber(rawValue: data[0]))
        case (0x34, 3): self = .setPower(word(data), CSAFEUnit(rawValue: data[2]))
        default: return nil
        }
    }
}

extension Frame {
    /// Creates a standard frame with these commands.
    package init(_ commands: Command...) {
        self.init(commands: commands)
    }

    package init(commands: [Command], addresses: Addresses? = nil) {
        var writer = ByteWriter()
        for command in commands { command.encode(into: &writer) }
        self.init(contents: writer.bytes, addresses: addresses)
    }
}

extension ByteWriter {
    /// Appends an ID, and below 0x80 a byte count and data.
    mutating func command(_ id: UInt8, _ data: [UInt8]) {
        guard id < 0x80 else {
            precondition(data.isEmpty, "command \(id) is a single byte and has no data")
            return uint8(id)
        }
        long(id, data)
    }

    mutating func long(_ id: UInt8, _ data: [UInt8]) {
        precondition(data.count < 256, "command \(id) has a one-byte count, not \(data.count)")
        uint8(id)
        uint8(UInt8(data.count))
        append(data)
    }

    fileprivate mutating func long(_ id: UInt8, _ value: UInt16, _ unit: CSAFEUnit) {
        long(id, [UInt8(value & 0xFF), UInt8(value >> 8), unit.rawValue])
    }
}

extension ByteReader {
    /// Reads the next command: an ID, and below 0x80 its data.
    mutating func command() throws(DecodeError) -> (id: UInt8, data: [UInt8]) {
        let id = try uint8()
        guard id < 0x80 else { return (id, []) }
        return (id, Array(try slice(Int(try uint8()))))
    }
}

private func word(_ data: [UInt8]) -> UInt16 {
    UInt16(data[1]) << 8 | UInt16(data[0])
}
