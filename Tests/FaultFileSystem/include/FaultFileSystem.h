int locomotion_fault_register(void);
