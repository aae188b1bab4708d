import Bytes
import PM5Codec

/// Monitors for an external emulated radio: requests come in and values go out, one JSON object per
/// line.
///
/// A pure state machine with an external clock, like the monitors in it. It does not know the
/// links: the radio decides and reports whether a value arrives.
package struct PipedRoom: Sendable {
    /// The protocol of both sides, for a help text.
    package static let syntax = """
        At the start, about every monitor:
        {"pm":1,"kind":"monitor","serial":"430000001","name":"...","address":"F4:..."}
        {"pm":1,"kind":"service","handle":8,"uuid":"..."}
        {"pm":1,"kind":"characteristic","handle":9,"uuid":"...","id":"0022",...}
        {"kind":"ready"}
        In:
        {"pm":1,"do":"connect"}                the link is up; "disconnect": it is gone
        {"pm":1,"do":"subscribe","id":"0031"}  "unsubscribe" likewise
        {"pm":1,"do":"write","id":"0021","hex":"f1..f2"}
        {"pm":1,"do":"read","id":"0034"}       answered; without "hex" when unreadable
        {"pm":1,"do":"restart"}                switched off and on: all is forgotten
        {"pm":1,"do":"press","key":"menu"}     or "connect"; any key wakes it
        {"pm":1,"do":"pull"}                   somebody wakes it by the handle, and rows
        {"pm":1,"do":"leave"}                  the rower goes away
        Out:
        {"pm":1,"kind":"value","id":"0031","hex":"..."}    to whoever subscribed
        {"pm":1,"kind":"answer","id":"0034","hex":"01"}
        {"erg":"430000001","kind":"stroke",...,"start":0}  rowed, after its values;
                                               "start": how often switched on again
        {"pm":1,"kind":"air","advertising":false}  it sleeps, and does not advertise
        {"kind":"error","text":"..."}          a request that was not understood
        """

    /// Creates a monitor that has just been switched on at the given time; numbers count from 1.
    package typealias MonitorFactory = @Sendable (_ number: Int, _ start: Int) -> any SimulatedMonitor

    private struct PipedMonitor {
        var monitor: any SimulatedMonitor
        /// On the room's clock; the monitor's own clock starts here.
        var switchedOnAt = 0
        var start = 0
        /// As last reported.
        var isAdvertising = true
    }

    private let make: MonitorFactory
    private var monitors: [PipedMonitor]

    package init(count: Int, making make: @escaping MonitorFactory) {
        self.make = make
        monitors = (1...count).map { PipedMonitor(monitor: make($0, 0)) }
    }

    // MARK: - Time

    /// The time of the next event, in milliseconds since the room was created.
    package var nextMilliseconds: Int {
        monitors.map { piped in
            let next = piped.monitor.nextMilliseconds
            return next == .max ? .max : next + piped.switchedOnAt
        }.min() ?? .max
    }

    /// Advances the time and returns the events as lines.
    package mutating func advance(to milliseconds: Int) -> [String] {
        var lines: [String] = []
        while nextMilliseconds <= milliseconds {
            let next = nextMilliseconds
            for index in monitors.indices { step(index, to: next, &lines) }
        }
        for index in monitors.indices { step(index, to: milliseconds, &lines) }
        return lines
    }

    private mutating func step(_ index: Int, to milliseconds: Int, _ lines: inout [String]) {
        let piped = monitors[index]
        for output in monitors[index].monitor.step(to: milliseconds - piped.switchedOnAt) {
            switch output {
            case .notification(let id, let bytes):
                lines.append(
                    Self.line(index, "value", [Self.field(id), Field("hex", .hex(bytes))]))
            case .truth(var record):
                record.fields.append(Field("start", piped.start))
                lines.append(record.json(erg: piped.monitor.identity.serial))
            }
        }
        reportAdvertising(index, &lines)
    }

    private mutating func reportAdvertising(_ index: Int, _ lines: inout [String]) {
        let isAdvertising = monitors[index].monitor.isAdvertising
        guard monitors[index].isAdvertising != isAdvertising else { return }
        monitors[index].isAdvertising = isAdvertising
        lines.append(Self.line(index, "air", [Field("advertising", .flag(isAdvertising))]))
    }

    // MARK: - Requests

    /// Handles a request at a time, and returns the events up to it and because of it.
    package mutating func receive(_ line: String, at milliseconds: Int) -> [String] {
        var lines = advance(to: milliseconds)
        guard let request = JSONObject(line: line), let number = request.integer("pm"),
            monitors.indices.contains(number - 1), let verb = request.text("do"),
            let answer = execute(verb, request, number - 1, milliseconds)
        else {
            let error = [Field("kind", .text("error")), Field("text", .text(line))]
            return lines + [FieldValue.object(error).json]
        }
        lines += answer
        reportAdvertising(number - 1, &lines)
        return lines
    }

    /// Returns nil for an invalid request.
    private mutating func execute(
        _ verb: String, _ request: JSONObject, _ index: Int, _ milliseconds: Int
    ) -> [String]? {
        switch (verb, request.characteristic("id")) {
        case ("connect", _): monitors[index].monitor.setConnected(true)
        case ("disconnect", _): monitors[index].monitor.setConnected(false)
        case ("restart", _): restart(index, at: milliseconds)
        case ("press", _):
            guard let key = request.text("key").flatMap(MonitorKey.init) else { return nil }
            monitors[index].monitor.press(key)
        case ("pull", _): monitors[index].monitor.pullHandle()
        case ("leave", _): monitors[index].monitor.leave()
        case ("subscribe", let id?): monitors[index].monitor.setSubscribed(true, to: id)
        case ("unsubscribe", let id?): monitors[index].monitor.setSubscribed(false, to: id)
        case ("write", let id?):
            guard let bytes = request.bytes("hex") else { return nil }
            monitors[index].monitor.write(bytes, to: id)
        case ("read", let id?):
            let value = monitors[index].monitor.read(id).map { Field("hex", .hex($0)) }
            return [Self.line(index, "answer", [Self.field(id)] + [value].compactMap { $0 })]
        default: return nil
        }
        return []
    }

    private mutating func restart(_ index: Int, at milliseconds: Int) {
        let start = monitors[index].start + 1
        monitors[index] = PipedMonitor(
            monitor: make(index + 1, start), switchedOnAt: milliseconds, start: start,
            isAdvertising: monitors[index].isAdvertising)
    }

    // MARK: - Description

    /// The description of the monitors for the radio.
    package var description: [String] {
        monitors.indices.flatMap(describe) + [#"{"kind":"ready"}"#]
    }

    private func describe(_ index: Int) -> [String] {
        let monitor = monitors[index].monitor
        let radio = MonitorRadio(number: index + 1, monitor: monitor)
        var lines = [
            Self.line(
                index, "monitor",
                [
                    Field("serial", .text(monitor.identity.serial)),
                    Field("name", .text(monitor.identity.name)),
                    Field("address", .text(radio.address)),
                ])
        ]
        for service in radio.layout.services {
            lines.append(
                Self.line(
                    index, "service",
                    [Field("handle", service.handle), Field("uuid", .text(service.uuid))]))
            lines += service.characteristics.map { Self.line(index, "characteristic", $0.fields) }
        }
        return lines
    }

    // MARK: - Lines

    private static func line(_ index: Int, _ kind: String, _ fields: [Field]) -> String {
        let head = [Field("pm", index + 1), Field("kind", .text(kind))]
        return FieldValue.object(head + fields).json
    }

    fileprivate static func field(_ id: CharacteristicID) -> Field {
        Field("id", .text(GattLayout.digits(Int(id.rawValue))))
    }
}

extension GattLayout.Characteristic {
    /// As `PipedRoom.syntax` shows it.
    fileprivate var fields: [Field] {
        let optional = [
            id.map(PipedRoom.field), descriptorHandle.map { Field("configuration", $0) },
        ]
        return [
            Field("handle", handle), Field("uuid", .text(uuid)),
            Field("flags", .text(flags.joined(separator: " "))),
        ] + optional.compactMap { $0 }
    }
}
