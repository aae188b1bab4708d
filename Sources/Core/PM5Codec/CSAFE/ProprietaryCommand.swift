import Bytes

/// A Concept2 command inside a wrapper, in the byte order of that wrapper.
///
/// Source: Concept2 CSAFE definition rev 0.25, C2 proprietary set commands; IDs as in openrowingmonitor,
/// which works with ErgData and ErgZone.
package enum ProprietaryCommand: Hashable, Sendable {
    case workoutType(WorkoutType)
    /// In the unit of the type: 0.01 s, metres, calories or watt-minutes.
    case workoutDuration(DurationType, UInt32)
    case restDuration(seconds: UInt16)
    case splitDuration(DurationType, UInt32)
    case targetPace(centisecondsPer500m: UInt32)
    /// The monitor only queues it: poll `Query.screenStatus` until it is executed.
    case screenState(ScreenType, ScreenValue)
    case configureWorkout(ProgrammingMode)
    case targetAveragePower(watts: UInt16)
    case targetCalories(perHour: UInt16)
    case intervalType(IntervalType)
    /// Zero-based index of the interval that the following commands describe.
    case workoutIntervalCount(UInt8)
    case displayUpdateRate(UInt8)
    case dateTime(MonitorClock)
    case languageType(UInt8)
    case screenErrorMode(UInt8)
    case heartRateMonitor(HeartRateSensor, number: UInt16)
    case heartRateBelt(user: UInt8, HeartRateSensor, number: UInt16)
    case gameParameters(GameParameters)
    case extendedHeartRateBelt(unused: UInt8, HeartRateSensor, number: UInt32)
    case extendedHeartRateMonitor(HeartRateSensor, number: UInt32)
    case backlight(state: UInt8, percent: UInt8)
    case raceControl(RaceControlParameters)
    /// A request for a value, or any other command: its ID and data.
    case other(id: UInt8, data: [UInt8])

    /// The ID byte, which also acknowledges the command in a reply.
    package var id: UInt8 {
        switch self {
        case .workoutType: 0x01
        case .workoutDuration: 0x03
        case .restDuration: 0x04
        case .splitDuration: 0x05
        case .targetPace: 0x06
        case .screenState: 0x13
        case .configureWorkout: 0x14
        case .targetAveragePower: 0x15
        case .targetCalories: 0x16
        case .intervalType: 0x17
        case .workoutIntervalCount: 0x18
        case .displayUpdateRate: 0x19
        case .dateTime: 0x22
        case .languageType: 0x23
        case .screenErrorMode: 0x27
        case .heartRateMonitor: 0x2B
        case .heartRateBelt: 0x2D
        case .gameParameters: 0x38
        case .extendedHeartRateBelt: 0x39
        case .extendedHeartRateMonitor: 0x3A
        case .backlight: 0x3B
        case .raceControl: 0x3E
        case .other(let id, _): id
        }
    }

    /// Appends ID, byte count and data, or only an ID from 0x80 on.
    package func encode(into writer: inout ByteWriter, order: ByteOrder) {
        if case .other(let id, let bytes) = self { return writer.command(id, bytes) }
        var data = ByteWriter()
        for parameter in parameters { parameter.encode(into: &data, order: order) }
        writer.command(id, data.bytes)
    }

    /// The parameters after the ID, in protocol order; empty for `.other`.
    private var parameters: [any ReplyValue] {
        switch self {
        case .workoutType(let type): [type]
        case .workoutDuration(let type, let amount), .splitDuration(let type, let amount):
            [type, amount]
        case .targetPace(let pace): [pace]
        case .screenState(let type, let value): [type, value]
        case .configureWorkout(let mode): [mode]
        case .restDuration(let value), .targetAveragePower(let value), .targetCalories(let value):
            [value]
        case .intervalType(let type): [type]
        case .workoutIntervalCount(let value), .displayUpdateRate(let value),
            .languageType(let value), .screenErrorMode(let value):
            [value]
        case .dateTime(let clock): [clock]
        case .heartRateMonitor(let sensor, let number): [sensor, number]
        case .heartRateBelt(let user, let sensor, let number): [user, sensor, number]
        case .gameParameters(let parameters): [parameters]
        case .extendedHeartRateBelt(let unused, let sensor, let number): [unused, sensor, number]
        case .extendedHeartRateMonitor(let sensor, let number): [sensor, number]
        case .backlight(let state, let percent): [state, percent]
        case .raceControl(let parameters): [parameters]
        case .other: []
        }
    }
}

extension ProprietaryCommand {
    /// Decodes the commands inside a wrapper; throws if a byte count exceeds the data.
    static func parse(
        _ bytes: [UInt8], order: ByteOrder
    ) throws(DecodeError) -> [ProprietaryCommand] {
        try bytes.withReader { reader throws(DecodeError) in
            var commands: [ProprietaryCommand] = []
            while reader.remaining > 0 {
                let (id, data) = try reader.command()
                commands.append(ProprietaryCommand(id: id, data: data, order: order))
            }
            return commands
        }
    }

    /// If the data do not fit the documented layout, the command becomes `.other`.
    private init(id: UInt8, data: [UInt8], order: ByteOrder) {
        let typed = try? data.withReader { reader throws(DecodeError) in
            let command = try ProprietaryCommand(id: id, decoding: &reader, order)
            return reader.remaining == 0 ? command : nil
        }
        // The error is not needed: a monitor ignores unreadable commands, and so does the simulator.
        self = typed ?? .other(id: id, data: data)
    }

    private init?(
        id: UInt8, decoding reader: inout ByteReader, _ order: ByteOrder
    ) throws(DecodeError) {
        switch id {
        case 0x01: self = .workoutType(try reader.code())
        case 0x03: self = .workoutDuration(try reader.code(), try reader.uint32(order))
        case 0x04: self = .restDuration(seconds: try reader.uint16(order))
        case 0x05: self = .splitDuration(try reader.code(), try reader.uint32(order))
        case 0x06: self = .targetPace(centisecondsPer500m: try reader.uint32(order))
        case 0x13: self = .screenState(try reader.code(), try reader.code())
        case 0x14: self = .configureWorkout(try reader.code())
        case 0x15: self = .targetAveragePower(watts: try reader.uint16(order))
        case 0x16: self = .targetCalories(perHour: try reader.uint16(order))
        case 0x17: self = .intervalType(try reader.code())
        case 0x18: self = .workoutIntervalCount(try reader.uint8())
        case 0x19: self = .displayUpdateRate(try reader.uint8())
        case 0x22: self = .dateTime(try MonitorClock(decoding: &reader, order: order))
        case 0x23: self = .languageType(try reader.uint8())
        case 0x27: self = .screenErrorMode(try reader.uint8())
        case 0x2B:
            self = .heartRateMonitor(
                try reader.sensor(order), number: try reader.uint16(order))
        case 0x2D:
            self = .heartRateBelt(
                user: try reader.uint8(), try reader.sensor(order),
                number: try reader.uint16(order))
        case 0x38: self = .gameParameters(try GameParameters(decoding: &reader, order: order))
        case 0x39:
            self = .extendedHeartRateBelt(
                unused: try reader.uint8(), try reader.sensor(order),
                number: try reader.uint32(order))
        case 0x3A:
            self = .extendedHeartRateMonitor(
                try reader.sensor(order), number: try reader.uint32(order))
        case 0x3B: self = .backlight(state: try reader.uint8(), percent: try reader.uint8())
        case 0x3E:
            self = .raceControl(try RaceControlParameters(decoding: &reader, order: order))
        default: return nil
        }
    }
}

extension ByteReader {
    fileprivate mutating func sensor(_ order: ByteOrder) throws(DecodeError) -> HeartRateSensor {
        try HeartRateSensor(decoding: &self, order: order)
    }
}
