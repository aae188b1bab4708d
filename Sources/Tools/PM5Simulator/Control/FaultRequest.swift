import Bytes
import PM5Codec

/// Why a request is not carried out.
enum RequestProblem: String, Error {
    /// An unknown name, or a missing or invalid field.
    case request = "no such request"
    case monitor = "no such monitor"
    case adapter = "no such adapter"
}

/// A request for a fault or for information.
package struct FaultRequest {
    /// The requests, for a help text.
    package static let syntax = """
        {"cmd":"state"}                          state of every monitor and adapter
        {"cmd":"drop","back":5}                  the monitor ends the link
        {"cmd":"vanish","back":5}                the monitor is switched off
        {"cmd":"refuse","n":2}                   the next links die as they are made
        {"cmd":"abort","n":8}                    the next Connect calls fail
        {"cmd":"hang","on":true}                 connected, and silent
        {"cmd":"advertise","on":false}           not to be found
        {"cmd":"garbage","id":"35","n":10}       random bytes on a characteristic
        {"cmd":"send","id":"31","hex":"00"}      one value
        {"cmd":"lose","n":12}                    the next values are lost on the air
        {"cmd":"mute","id":"33","on":true}       a characteristic goes silent
        {"cmd":"starve","on":true}               strokes and splits, and no status
        {"cmd":"delay_services","ms":400}        ServicesResolved comes early; 0: not
        {"cmd":"refuse_acquire","on":true}       AcquireNotify is not supported
        {"cmd":"early","id":"31","hex":"00"}     before a subscription is answered
        {"cmd":"prompt","id":"31","hex":"00"}    right after a subscription is answered
        {"cmd":"update_firmware","to":"8200-000409-217.067"} with other handles
        {"cmd":"pause","s":20}                   the rower stops for simulated seconds
        {"cmd":"give","part":0.8,"s":60}         the rower fades to that part
        {"cmd":"hold","on":true}                 the rower begins nothing before "row"
        {"cmd":"row","s":0.3}                    begins, simulated seconds later
        {"cmd":"belt","on":false}                the monitor loses the rower's belt
        {"cmd":"leave"}                          the rower goes away
        {"cmd":"press","key":"connect"}          a key; any key, "menu" say, wakes the monitor
        {"cmd":"pull"}                           somebody wakes it by the handle, and rows
        {"cmd":"battery","percent":9}
        {"cmd":"clock","advance_s":-200}         the monitor's clock goes back
        {"cmd":"remove_adapter","hci":"hci1"}
        {"cmd":"restore_adapter","hci":"hci1","as":"hci0"}    "as": another number
        {"cmd":"freeze_adapter","hci":"hci0"}    does nothing until switched off and on
        {"cmd":"tell_limit","hci":"hci0","on":true}    Connect says so when it is full
        {"cmd":"leave_scan","hci":"hci0"}        a scan that only switching it off ends
        {"cmd":"block_adapter","hci":"hci0","on":true}          as rfkill does
        {"cmd":"power_adapter","hci":"hci0","on":false}
        {"cmd":"restart_service"}                org.bluez goes and comes back
        {"cmd":"kill_service","back":1}          the same without a word
        "pm":N names one monitor; without it a command goes to every monitor.
        """

    private let object: JSONObject

    init(_ line: String) throws(RequestProblem) {
        guard let object = JSONObject(line: line) else { throw .request }
        self.object = object
    }

    var name: String { object.text("cmd") ?? "" }
    /// The addressed monitor; nil for all.
    var monitor: Int? {
        get throws(RequestProblem) {
            guard object["pm"] != nil else { return nil }
            guard let number = object.integer("pm") else { throw .monitor }
            return number
        }
    }
    var adapter: String { get throws(RequestProblem) { try required(object.text("hci")) } }
    /// The name under which an adapter returns; nil for its own.
    var newName: String? {
        get throws(RequestProblem) {
            guard object["as"] != nil else { return nil }
            let name = try required(object.text("as"))
            return try required(AdapterPlan.isName(name) ? name : nil)
        }
    }
    var on: Bool { get throws(RequestProblem) { try required(object.flag("on")) } }
    var id: CharacteristicID {
        get throws(RequestProblem) { try required(object.characteristic("id")) }
    }
    var bytes: [UInt8] { get throws(RequestProblem) { try required(object.bytes("hex")) } }
    /// In the form of 0x0014.
    var version: String {
        get throws(RequestProblem) {
            let text = try required(object.text("to"))
            let fits = (1...20).contains(text.utf8.count) && text.utf8.allSatisfy { $0 < 0x7F }
            return try required(fits ? text : nil)
        }
    }
    /// `menu` by default.
    var key: MonitorKey {
        get throws(RequestProblem) {
            guard object["key"] != nil else { return .menu }
            return try required(object.text("key").flatMap(MonitorKey.init))
        }
    }
    /// How many times; 1 by default.
    var count: Int {
        get throws(RequestProblem) {
            guard object["n"] != nil else { return 1 }
            return try required(object.integer("n").flatMap { (0...10_000).contains($0) ? $0 : nil })
        }
    }
    /// Seconds until the fault ends; nil for never.
    var back: Double? {
        get throws(RequestProblem) {
            object["back"] == nil ? nil : try figure("back", upTo: 36_000)
        }
    }

    /// Part of a speed, above zero, so that rowing continues.
    var part: Double {
        get throws(RequestProblem) {
            let part = try figure("part", upTo: 1.5)
            return try required(part >= 0.3 ? part : nil)
        }
    }

    /// Seconds by which the monitor's clock moves, up to ten years in both directions.
    var clockAdvance: Int {
        get throws(RequestProblem) {
            try required(object.integer("advance_s").flatMap { abs($0) <= 315_360_000 ? $0 : nil })
        }
    }

    /// A time, a share or a count, from 0 to `limit`.
    func figure(_ name: String, upTo limit: Double) throws(RequestProblem) -> Double {
        try required(object.decimal(name).flatMap { (0...limit).contains($0) ? $0 : nil })
    }

    private func required<Value>(_ value: Value?) throws(RequestProblem) -> Value {
        guard let value else { throw .request }
        return value
    }
}
