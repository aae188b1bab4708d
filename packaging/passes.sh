# Sourced by test and sanitize: the passes in which tests run, by what they need; which these patterns do
# not name run in a first one.
#
# A processor alone, and stepped time, a day of it by itself; a real disk; a broker, a bus, a simulated
# radio or a client in real time, which wait for nobody, and so not for those that compute for a minute on
# one of Swift's few threads, nor for hundreds of their own kind; rooms of real programs, a few at a time,
# since each has five of them and eight rowers; writers that are killed at any moment, which leave a room
# no processor.
# shellcheck disable=SC2034  # whoever sources this uses them

waiting='^((PM5Simulator|SDBus|ControlSocket|WebServer|MQTTClient|Publishing|Diagnosis)Tests'
waiting+='|BlueZLinkTests\.((Radio)?FaultTests|RoomLinkTests|IdleMonitorTests|NotificationStreamTests)'
waiting+='|DeliveryProofTests\.DeliveryTests'
waiting+='|GatewayTests\.(Station|CommandCenter|DaemonParts|HealthReporter|LivenessWatch|ServiceSteps)\w*)[./]'
disk='^RecordingTests[./]'
rooms='^SystemTests[./]'
kills='^SystemTests\.RingKillTests[./]'
day='everyStrokeOfADay'
