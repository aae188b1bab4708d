import Bytes

/// Home Assistant's discovery message for the gateway itself: a device with one sensor that shows
/// whether an alert of the gateway is active.
package struct HomeAssistantGateway: Sendable {
    private let topics: TopicMap
    private let version: String

    /// - Parameter version: version of rowgate.
    package init(_ topics: TopicMap, version: String) {
        self.topics = topics
        self.version = version
    }

    /// The retained discovery message.
    package func payload() -> [UInt8] {
        let name = topics.homeAssistantName(of: nil)
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
    /// Writes the fields of a sensor that shows whether an alert is active.
    mutating func writeProblem(of topic: String) {
        field("device_class", "problem")
        field("state_topic", topic)
        field("value_template", "{{ 'ON' if value_json.firing > 0 else 'OFF' }}")
        field("json_attributes_topic", topic)
    }
}
