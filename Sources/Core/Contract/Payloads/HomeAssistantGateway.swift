import Bytes

/// The gateway itself as Home Assistant wants it described, as `HomeAssistantDevice` does an erg: a
/// device with one sensor, whether one of the gateway's own alerts fires.
package struct HomeAssistantGateway: Sendable {
    private let topics: TopicMap
    private let version: String

    /// - Parameter version: of rowgate.
    package init(gateway: GatewayID, version: String) {
        topics = TopicMap(gateway: gateway)
        self.version = version
    }

    /// The retained message that makes the device known.
    package func payload() -> [UInt8] {
        let name = TopicMap.homeAssistantName(of: nil, gateway: topics.gateway)
        return JSONWriter.object { json in
            json.object("device") { json in
                json.field("identifiers", [name])
                json.field("name", "Gateway \(topics.gateway)")
                json.field("manufacturer", "rowgate")
                json.field("model", "Gateway")
                json.field("sw_version", version)
            }
            json.object("origin") { json in
                json.field("name", "rowgate")
                json.field("sw_version", version)
            }
            json.list("availability", of: [RetainedTopic.availability]) {
                $0.field("topic", topics.topic(of: $1))
            }
            json.object("components") { json in
                json.object("problem") { json in
                    json.field("platform", "binary_sensor")
                    json.field("unique_id", "\(name)-problem")
                    json.field("name", "Problem")
                    json.writeProblem(of: topics.topic(of: .alerts(nil)))
                }
            }
        }
    }
}

extension JSONWriter {
    /// What makes a sensor show whether an alert fires.
    mutating func writeProblem(of topic: String) {
        field("device_class", "problem")
        field("state_topic", topic)
        field("value_template", "{{ 'ON' if value_json.firing > 0 else 'OFF' }}")
        field("json_attributes_topic", topic)
    }
}
